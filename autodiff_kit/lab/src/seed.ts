import { button, h } from './dom';
import { num, sizeOf } from './numbers';
import type { State } from './state';
import type { Tape } from './tape';
import { t, tn } from './text';

/** A tangent of the learner's own: numbers as they are written, pushed forward from an input. */

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const SHOWN = 8; // entries up to which the field begins with a one for each

/** Numbers of a text such as `1 2 −1` or `[1, 2, -1]`; a sentence where it holds something else. */
export function seedOf(text: string, size: number): number[] | string {
  const words = text.replaceAll('−', '-').split(/[\s,;[\]()]+/).filter(Boolean);
  const wrong = words.find(word => !NUMBER.test(word) || !Number.isFinite(+word));
  if (wrong !== undefined) {
    return tn('“%2” is not a number: write one number, such as 1.', '“%2” is not a number: write %1 numbers, such as %3, or one number for all.', size, wrong, example(size));
  }
  return words.length === size || words.length === 1 ? words.map(Number)
    : tn('This input has one entry: write one number, such as 1; got %2.', 'This input has %1 entries: write %1 numbers, such as %3, or one number for all; got %2.', size, words.length, example(size));
}

const example = (size: number): string => {
  const few = Array.from({ length: Math.min(size, 4) }, (_, k) => (k === size - 1 ? '−1' : String(k + 1))).join(' ');
  return size > 4 ? `${few} …` : few;
};

/** The field beside an input: what is pushed from it, and what is wrong with what was written. */
export class SeedField {
  readonly el: HTMLElement;
  private readonly size: number;
  private readonly said = h('p', { class: 'akl-seed-said', role: 'status', id: 'akl-seed-said' });
  private readonly text: HTMLInputElement;

  constructor(private readonly s: State, readonly tape: Tape, readonly node: number) {
    this.size = sizeOf(tape.shape(node));
    const begin = tape.seed?.node === node ? tape.seed.numbers.map(x => num(x, 17)).join(' ') : Array.from({ length: this.size <= SHOWN ? this.size : 1 }, () => '1').join(' ');
    this.text = h<HTMLInputElement>('input', { type: 'text', class: 'akl-seed', value: begin, autocomplete: 'off', 'aria-label': t('Tangent of %1', tape.label(node)), 'aria-describedby': 'akl-seed-said' });
    this.text.setAttribute('spellcheck', 'false');
    this.text.addEventListener('keydown', e => e.key === 'Enter' && this.push());
    this.el = h('div', { class: 'akl-seed-row' }, h('label', null, h('span', { class: 'akl-as-fwd', 'aria-hidden': 'true' }, '↓ '), this.text),
      button(t('Push a tangent'), { title: t('Push these numbers forward from this input (Enter)'), act: () => this.push() }), this.said);
  }

  private push(): void {
    const numbers = seedOf(this.text.value, this.size);
    const wrong = typeof numbers === 'string';
    this.text.setAttribute('aria-invalid', String(wrong));
    this.said.textContent = wrong ? numbers : '';
    if (wrong) {
      this.said.scrollIntoView({ block: 'nearest' });
    } else {
      void this.tape.push(this.node, numbers).then(() => this.s.changes.tell('rows', 'kinds'), (error: Error) => (this.said.textContent = error.message));
    }
  }
}
