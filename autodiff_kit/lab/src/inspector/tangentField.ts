import { button, h } from '../common/dom';
import { sizeOf } from './valueFormat';
import type { InspectorState } from './inspectorState';
import type { Tape } from './tape';
import { t, tn } from '../common/translation';

/** An input field for a tangent: parse its numbers, and push them forward from a node. */

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const SHOWN = 8; // entries up to which the field begins with a one for each

/** Numbers of a text such as `1 2 −1` or `[1, 2, -1]`; a sentence where it holds something else. */
export function parseTangent(text: string, size: number): number[] | string {
  const words = text.replaceAll('−', '-').split(/[\s,;[\]()]+/).filter(Boolean);
  const wrong = words.find(word => !NUMBER.test(word) || !Number.isFinite(+word));
  if (wrong !== undefined) {
    return tn('“%2” is not a number: write one number, such as 1.', '“%2” is not a number: write %1 numbers, such as %3, or one number for all.', size, wrong, exampleNumbers(size));
  }
  return words.length === size || words.length === 1 ? words.map(Number)
    : tn('This input has one entry: write one number, such as 1; got %2.', 'This input has %1 entries: write %1 numbers, such as %3, or one number for all; got %2.', size, words.length, exampleNumbers(size));
}

/** Numbers as the field shows them: as they are, since they are read again. */
export const tangentText = (numbers: number[]): string => numbers.map(x => String(x).replaceAll('-', '−')).join(' ');

const exampleNumbers = (size: number): string => {
  const few = Array.from({ length: Math.min(size, 4) }, (_, k) => (k === size - 1 ? '−1' : String(k + 1))).join(' ');
  return size > 4 ? `${few} …` : few;
};

/** The field of a node's details: the tangent to push, and an error where it cannot be parsed. */
export class TangentField {
  readonly el: HTMLElement;
  private readonly size: number;
  private readonly message = h('p', { class: 'akl-seed-said', role: 'status', id: 'akl-seed-said' });
  private readonly input: HTMLInputElement;

  constructor(private readonly s: InspectorState, readonly tape: Tape, readonly node: number) {
    this.size = sizeOf(tape.shape(node));
    const begin = tape.pushedTangent?.node === node ? tangentText(tape.pushedTangent.numbers) : Array.from({ length: this.size <= SHOWN ? this.size : 1 }, () => '1').join(' ');
    this.input = h<HTMLInputElement>('input', { type: 'text', class: 'akl-seed', value: begin, autocomplete: 'off', 'aria-label': t('Tangent of %1', tape.label(node)), 'aria-describedby': 'akl-seed-said' });
    this.input.setAttribute('spellcheck', 'false');
    this.input.addEventListener('keydown', e => e.key === 'Enter' && this.push());
    this.el = h('div', { class: 'akl-seed-row' }, h('label', null, h('span', { class: 'akl-as-fwd', 'aria-hidden': 'true' }, '↓ '), this.input),
      button(t('Push a tangent'), { title: t('Push these numbers forward from this input (Enter)'), act: () => this.push() }), this.message);
  }

  private push(): void {
    const numbers = parseTangent(this.input.value, this.size);
    const wrong = typeof numbers === 'string';
    this.input.setAttribute('aria-invalid', String(wrong));
    this.message.textContent = wrong ? numbers : '';
    if (wrong) {
      this.message.scrollIntoView({ block: 'nearest' });
    } else {
      void this.tape.pushTangent(this.node, numbers).then(() => this.s.changes.notify('rows', 'kinds'), (error: Error) => (this.message.textContent = error.message));
    }
  }
}
