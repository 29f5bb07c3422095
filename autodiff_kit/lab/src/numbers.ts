import { t, tn } from './text';
import type { Summary } from './wire';

/** What is known of a node's value, tangent or cotangent; `tape.kinds` sends one character a node. */
export const KIND = { NONE: 0, ZERO: 1, FINITE: 2, NAN: 3, INF: 4, FROZEN: 5, UNKNOWN: 9, NOT_BEGUN: -2, CONSTANT: -1 };
const LETTERS: Record<string, number> = { n: 0, 0: 1, v: 2, N: 3, i: 4, f: 5, '?': 9 };

const CODES = Uint8Array.from({ length: 128 }, (_, c) => LETTERS[String.fromCharCode(c)] ?? KIND.UNKNOWN);

/** Codes of a string of kinds. */
export function kinds(letters: string): Uint8Array {
  const codes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) {
    codes[i] = CODES[letters.charCodeAt(i)] ?? KIND.UNKNOWN;
  }
  return codes;
}

let digitsWanted = 4;
export const setDigits = (n: number): void => {
  digitsWanted = n;
};

const minus = (s: string): string => s.replaceAll('-', '−');
const raised = (e: number): string => [...String(e)].map(c => (c === '-' ? '⁻' : '⁰¹²³⁴⁵⁶⁷⁸⁹'[+c])).join('');

function powers(x: number, digits: number): string {
  if (digits < 4) {
    return minus(x.toExponential(0).replace('e+', 'e'));
  }
  const [m, e] = x.toExponential(2).split('e');
  return `${minus(String(+m))}×10${raised(+e)}`;
}

/** A number as the kernel prints it: never −0, one minus sign everywhere. */
export function num(x: number | string, digits = digitsWanted): string {
  if (typeof x === 'string') {
    return { nan: 'NaN', inf: '∞', '-inf': '−∞' }[x] ?? x;
  }
  if (x === 0) {
    return '0';
  }
  const size = Math.abs(x);
  return size >= 1e5 || size < (digits < 3 ? 1e-2 : 1e-4) ? powers(x, digits) : minus(String(+x.toPrecision(digits)));
}

const unit = (n: number, steps: [number, string][]): string | null => {
  const found = steps.find(([size]) => n >= size);
  return found ? `${+(n / found[0]).toPrecision(3)}\u202f${found[1]}` : null;
};

/** Operations: 12.3 k. */
export const big = (n: number): string => unit(n, [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k']]) ?? String(n);

/** Bytes: 1.2 KiB. */
export const bytes = (n: number): string =>
  unit(n, [[2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [2 ** 10, 'KiB']]) ?? `${n}\u202fB`;

export const shapeText = (shape: number[]): string => (shape.length ? shape.join('×') : '()');
export const sizeOf = (shape: number[]): number => shape.reduce((a, b) => a * b, 1);

/** How much room a number has: s(mall), m(iddle), l(arge). */
export type Room = 's' | 'm' | 'l';

/** A short text of one array: itself where it is short, else from its least to its largest entry. */
export function brief(s: Summary, shape: number[], room: Room = 'm'): string {
  const size = sizeOf(shape);
  const few = Math.min(room === 's' ? 3 : 4, digitsWanted);
  const first = s[6];
  if (size === 0) {
    return '[]';
  }
  if (size === 1) {
    return num(first[0] ?? s[0], room === 's' ? few : digitsWanted);
  }
  if (s[4] === size) {
    return `${num(first[0])} ×${size}`; // nothing in it is finite
  }
  if (size <= 4 && first.length === size) {
    const list = `[${first.map(v => num(v, size > 2 ? 3 : few)).join(' ')}]`;
    if (list.length <= (room === 's' ? 13 : 15)) {
      return list;
    }
  }
  const k = room === 'l' ? 3 : 2;
  if (s[4]) {
    return `${num(s[0], k)}\u200a…\u200a${num(s[1], k)} ±∞`;
  }
  return s[0] === s[1] ? `${num(s[0], few)} ×${size}` : `${num(s[0], k)}\u200a…\u200a${num(s[1], k)}`;
}

/** The same in words, for a screen reader. */
export function spoken(kind: number, s: Summary | null | undefined, shape: number[]): string {
  switch (kind) {
    case KIND.NONE:
      return t('none');
    case KIND.ZERO:
      return t('exactly zero');
    case KIND.NAN:
      return s ? tn('%1 entry is not a number', '%1 entries are not numbers', s[4]) : t('not a number');
    default:
      return !s ? t('loading') : shape.length ? t('from %1 to %2', num(s[0]), num(s[1])) : num(s[6][0] ?? s[0]);
  }
}

const dress = (el: HTMLElement, cls: string, text: string): void => {
  el.className = `akl-v akl-v-${cls}`;
  el.textContent = text;
};

/** A cell that never relies on colour: None a hollow dashed pill, zero a solid block, NaN striped, not begun a dot. */
export function paint(el: HTMLElement, role: string, kind: number, s?: Summary | null, shape: number[] = [], room: Room = 'm'): void {
  if (kind === KIND.NOT_BEGUN) {
    dress(el, 'wait', '·');
  } else if (kind === KIND.CONSTANT) {
    dress(el, 'wait', '–');
  } else if (kind === KIND.NONE) {
    dress(el, 'none', 'None');
  } else if (kind === KIND.ZERO) {
    dress(el, 'zero', '0');
  } else if (kind === KIND.NAN) {
    dress(el, 'nan', s && sizeOf(shape) > 1 && s[4] < sizeOf(shape) ? `NaN ×${s[4]}` : 'NaN');
  } else if (kind === KIND.FROZEN) {
    dress(el, 'frozen', t('frozen'));
  } else if (!s) {
    dress(el, 'load', '');
  } else {
    dress(el, role, brief(s, shape, room));
  }
}
