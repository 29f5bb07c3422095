import { formatNumber, significantDigits } from '../common/numberFormat';
import { t, tn } from '../common/translation';
import type { Summary } from '../services/protocol';

/** What is known of a node's value, tangent or cotangent; `tape.kinds` sends one character a node. */
export const KIND = { NONE: 0, ZERO: 1, FINITE: 2, NAN: 3, INF: 4, FROZEN: 5, UNKNOWN: 9, NOT_BEGUN: -2, CONSTANT: -1, NOT_KEPT: -3 };
const LETTERS: Record<string, number> = { n: 0, 0: 1, v: 2, N: 3, i: 4, f: 5, '?': 9 };

const KIND_CODES = Uint8Array.from({ length: 128 }, (_, c) => LETTERS[String.fromCharCode(c)] ?? KIND.UNKNOWN);

/** Codes of a string of kinds. */
export function decodeKinds(letters: string): Uint8Array {
  const codes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) {
    codes[i] = KIND_CODES[letters.charCodeAt(i)] ?? KIND.UNKNOWN;
  }
  return codes;
}

export const shapeText = (shape: number[]): string => (shape.length ? shape.join('×') : '()');
export const sizeOf = (shape: number[]): number => shape.reduce((a, b) => a * b, 1);

/** How much room a number has: s(mall), m(iddle), l(arge). */
export type CellSize = 's' | 'm' | 'l';

/** A short text of one array: itself where it is short, else from its least to its largest entry. */
export function summaryText(s: Summary, shape: number[], room: CellSize = 'm'): string {
  const size = sizeOf(shape);
  const few = Math.min(room === 's' ? 3 : 4, significantDigits());
  const first = s[6];
  if (size === 0) {
    return '[]';
  }
  if (size === 1) {
    return formatNumber(first[0] ?? s[0], room === 's' ? few : significantDigits());
  }
  if (s[4] === size && first.every(v => v === first[0])) {
    return `${formatNumber(first[0])} ×${size}`; // nothing in it is finite
  }
  if (size <= 4 && first.length === size) {
    const list = `[${first.map(v => formatNumber(v, size > 2 ? 3 : few)).join(' ')}]`;
    if (list.length <= (room === 's' ? 13 : 15)) {
      return list;
    }
  }
  const k = room === 'l' ? 3 : 2;
  if (s[4] === size) {
    return `±∞ ×${size}`;
  }
  if (s[4]) {
    return `${formatNumber(s[0], k)}\u200a…\u200a${formatNumber(s[1], k)} ±∞`;
  }
  return s[0] === s[1] ? `${formatNumber(s[0], few)} ×${size}` : `${formatNumber(s[0], k)}\u200a…\u200a${formatNumber(s[1], k)}`;
}

/** A value in words, for a screen reader. */
export function spokenValue(kind: number, s: Summary | null | undefined, shape: number[]): string {
  switch (kind) {
    case KIND.NONE:
      return t('none');
    case KIND.ZERO:
      return t('exactly zero');
    case KIND.NOT_KEPT:
      return t('not kept');
    case KIND.NAN:
      return s ? tn('%1 entry is not a number', '%1 entries are not numbers', s[7]) : t('not a number');
    case KIND.FROZEN:
      return t('frozen');
    case KIND.NOT_BEGUN:
      return t('not yet');
    default: // with an infinity, or without entries, there is no range to be told
      return !s ? t('loading') : s[4] || !sizeOf(shape) ? summaryText(s, shape) : shape.length ? t('from %1 to %2', formatNumber(s[0]), formatNumber(s[1])) : formatNumber(s[6][0] ?? s[0]);
  }
}

const setCell = (el: HTMLElement, cls: string, text: string): void => {
  el.className = `akl-v akl-v-${cls}`;
  el.textContent = text;
};

/** Show a value in a cell, without relying on colour: None dashed, zero a block, NaN striped, not begun a dot, what nobody keeps in words. */
export function showValue(el: HTMLElement, role: string, kind: number, s?: Summary | null, shape: number[] = [], room: CellSize = 'm'): void {
  if (kind === KIND.NOT_BEGUN) {
    setCell(el, 'wait', '·');
  } else if (kind === KIND.CONSTANT) {
    setCell(el, 'wait', '–');
  } else if (kind === KIND.NONE) {
    setCell(el, 'none', 'None');
  } else if (kind === KIND.ZERO) {
    setCell(el, 'zero', '0');
  } else if (kind === KIND.NAN) {
    setCell(el, 'nan', s && s[7] < sizeOf(shape) ? `NaN ×${s[7]}` : 'NaN');
  } else if (kind === KIND.FROZEN) {
    setCell(el, 'frozen', t('frozen'));
  } else if (kind === KIND.NOT_KEPT && !s) {
    setCell(el, 'lost', t('not kept'));
  } else if (!s) {
    setCell(el, 'load', '');
  } else {
    setCell(el, role, summaryText(s, shape, room));
  }
}
