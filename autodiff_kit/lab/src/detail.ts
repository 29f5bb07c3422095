import { banner, button, closer, fill, h, icon } from './dom';
import { brief, KIND, num, paint, shapeText, sizeOf } from './numbers';
import { ruleOf } from './rules';
import { SeedField } from './seed';
import type { Moves, State } from './state';
import { count, t } from './text';
import type { ArrayReply, Real, What } from './wire';

const ROLES: Record<What, string> = { value: 'value', tangent: 'fwd', cotangent: 'rev' };
const READERS = 6; // that are named

/** A small matrix, zeros as blocks; nothing where the array is larger than the panel draws. */
export function matrix(rows: Real[][], role = ''): HTMLElement {
  const cell = (v: Real): HTMLElement => h('td', { class: v === 'nan' ? 'is-nan' : '' }, v === 0 ? h('span', { class: 'akl-v akl-v-zero' }, '0') : num(v, rows[0].length > 4 ? 2 : 3));
  return h('table', { class: `akl-matrix akl-matrix-${role}`, role: 'presentation' }, h('tbody', null, rows.map(row => h('tr', null, row.map(cell)))));
}

function small(reply: ArrayReply | null, role: string): HTMLElement | null {
  if (!reply || reply.cut || reply.shape.length > 2 || sizeOf(reply.shape) < 2) {
    return null;
  }
  const [m, n] = reply.shape.length === 2 ? reply.shape : [1, reply.shape[0]];
  return m > 6 || n > 8 ? null : matrix(Array.from({ length: m }, (_, i) => reply.data.slice(i * n, (i + 1) * n)), role);
}

/** The chosen node: its line, its rule, its three quantities, its hook, who reads it. */
export class Detail {
  readonly el = h('section', { class: 'akl-detail', 'aria-label': t('The chosen node') });
  private drawn = '';
  /** How far down the learner has scrolled: to read it off the page while that changes costs a layout. */
  private top = 0;

  constructor(private readonly s: State, private readonly moves: Moves, private readonly pair: (role: 'source' | 'target') => void) {}

  /** True when there is something to show. */
  get wanted(): boolean {
    const { s } = this;
    return !!s.tape && s.sel !== null && s.sel >= 0 && (s.view === 'table' || s.view === 'graph');
  }

  draw(): void {
    if (!this.wanted) {
      fill(this.el);
      return;
    }
    const i = this.s.sel as number;
    const typing = this.field?.el.contains(document.activeElement) ? (document.activeElement as HTMLElement) : null;
    const body = h('div', { class: 'akl-detail-body', tabIndex: 0, role: 'group', 'aria-label': t('About the chosen node') }, this.code(i), this.rule(i), this.quantities(i), this.seed(i), this.hook(i), this.sent(i), this.readers(i), this.actions(i));
    this.top = this.drawn === String(i) ? this.top : 0;
    this.drawn = String(i);
    fill(this.el, this.head(i), body);
    if (this.top) {
      body.scrollTop = this.top;
    }
    body.addEventListener('scroll', () => (this.top = body.scrollTop), { passive: true });
    typing?.focus({ preventScroll: true }); // what is put in anew loses the focus
  }

  private head(i: number): HTMLElement {
    const tape = this.s.tape!;
    const place = tape.place(i);
    const about = [`#${i}`, tape.nodeName(i) ? tape.op(i) : tape.note(i), tape.shape(i).length ? shapeText(tape.shape(i)) : '', tape.dtype(i)].filter(Boolean).join(' ');
    return h('div', { class: 'akl-detail-head' }, h('b', null, tape.label(i)), h('span', { class: 'akl-op' }, about),
      h('button', { type: 'button', class: 'akl-quietbtn', title: t('Go to the line (Enter)'), on: { click: () => this.moves.line(i) } }, this.s.beside.short(place)),
      closer(() => this.moves.choose(null), 'Esc'));
  }

  private code(i: number): HTMLElement | null {
    const place = this.s.tape!.place(i);
    if (this.s.beside.edited(place)) {
      return h('p', { class: 'akl-quiet' }, t('The cell was edited after it ran, so its line is not shown.'));
    }
    const text = this.s.beside.text(place);
    return text ? h('code', { class: 'akl-codeline', title: t('cell %1, line %2', this.s.beside.cell(place), place[1]) }, text) : null;
  }

  /** A node by its name, to be chosen by a click. */
  private link(i: number): HTMLElement {
    const tape = this.s.tape!;
    const first = tape.row(i)[0]?.[6][0];
    const text = tape.flag(i, 'k') && first !== undefined ? num(first, 3) : tape.nodeName(i) || `${tape.op(i)} #${i}`;
    return h('button', { type: 'button', class: 'akl-nodelink', on: { click: () => this.moves.choose(i) } }, text);
  }

  private links(ids: number[]): (HTMLElement | string)[] {
    return ids.flatMap((i, k) => [k ? ', ' : '', this.link(i)]);
  }

  private rule(i: number): HTMLElement {
    const tape = this.s.tape!;
    const { formula, sends } = ruleOf(tape.op(i));
    const ins = tape.inputs(i);
    return h('p', { class: 'akl-rule' }, formula ? h('b', null, formula) : null, ins.length ? [' ', t('of'), ' ', this.links(ins)] : null,
      sends ? [formula || ins.length ? h('br') : null, h('span', { class: 'akl-as-rev' }, `↑ ${sends}`)] : null);
  }

  // ------------------------------------------------------------ value, tangent, cotangent
  private quantities(i: number): (HTMLElement | null)[] {
    const { s } = this;
    const recorded = i < s.f;
    const shown: [What, string, boolean][] = [['value', t('value'), recorded], ['tangent', `↓ ${t('tangent')}`, recorded], ['cotangent', `↑ ${t('cotangent')}`, i >= s.r]];
    const here = shown.filter(([what]) => what !== 'tangent' || s.tangents);
    const one = s.width >= 720 ? null : this.leading(i);
    return [h('div', { class: 'akl-blocks' }, here.map(([what, title, ready]) => this.block(i, what, title, ready, !one))), one ? this.small(i, one) : null];
  }

  /** On a narrow panel one matrix shows: that of the sweep that runs. */
  private leading(i: number): What {
    const { s } = this;
    const has = (what: What): boolean => s.tape!.known[what][i] >= KIND.FINITE;
    return s.dir < 0 && i >= s.r && has('cotangent') ? 'cotangent' : s.dir > 0 && s.tangents && has('tangent') ? 'tangent' : 'value';
  }

  private block(i: number, what: What, title: string, ready: boolean, matrices: boolean): HTMLElement {
    const tape = this.s.tape!;
    const v = h('span', { class: 'akl-v' });
    const constant = what !== 'value' && tape.flag(i, 'k');
    const kind = !ready ? KIND.NOT_BEGUN : constant ? KIND.CONSTANT : tape.known[what][i];
    paint(v, ROLES[what], kind, tape.row(i)[['value', 'tangent', 'cotangent'].indexOf(what)], tape.shape(i));
    return h('div', { class: `akl-block akl-block-${ROLES[what]}` }, h('div', { class: 'akl-block-head' }, h('span', null, title), v), matrices && ready && kind >= KIND.FINITE ? this.small(i, what) : null);
  }

  /** The entries come from the kernel, once, when the node is chosen. */
  private small(i: number, what: What): HTMLElement | null {
    const tape = this.s.tape!;
    const shape = tape.shape(i);
    const size = sizeOf(shape);
    if (shape.length > 2 || size < 2 || size > 48 || (what !== 'value' && tape.known[what][i] === KIND.NONE)) {
      return null;
    }
    const out = h('div', { class: 'akl-small' });
    void tape.array(i, what).then(reply => fill(out, small(reply, ROLES[what])));
    return out;
  }

  // ------------------------------------------------------------ hook, what it sends, who reads it
  private hook(i: number): HTMLElement | null {
    const tape = this.s.tape!;
    const hook = tape.head.hooks[i] ?? (this.s.sweep?.node === i ? this.s.sweep.hook : undefined);
    if (!hook) {
      return null;
    }
    const text = (s: typeof hook.before): string => (s ? brief(s, tape.shape(i)) : '…');
    return h('div', { class: 'akl-hook' }, icon('hook'), h('div', null, h('b', null, t('A hook: %1', hook.label)),
      h('p', null, t('came %1, left %2', text(hook.before), text(hook.after)))));
  }

  private sent(i: number): HTMLElement | null {
    const { sweep, tape, dir } = this.s;
    if (dir > 0 || !sweep?.sends.length || sweep.node !== i) {
      return null;
    }
    const parts = sweep.sends.flatMap((one, k) => [k ? ' · ' : '', this.link(one.to), ' ', h('span', { class: 'akl-as-rev akl-numt' }, one.part ? brief(one.part, tape!.shape(one.to)) : 'None')]);
    return h('p', { class: 'akl-rule' }, h('span', { class: 'akl-as-rev' }, `↑ ${t('sends')}`), ' ', parts);
  }

  private readers(i: number): HTMLElement {
    const tape = this.s.tape!;
    const all = tape.readers(i);
    if (!all.length) {
      return h('p', { class: 'akl-quiet akl-rule' }, i === tape.head.target ? t('This is the target.') : t('Nothing reads it.'));
    }
    const more = all.length > READERS ? ` ${t('and %1 more', count(all.length - READERS))}` : null;
    return h('p', { class: 'akl-rule akl-quiet' }, t('read by'), ' ', this.links(all.slice(0, READERS)), more);
  }

  private field: SeedField | null = null;

  /** An input that can be seeded has a field for it; what stands in the field outlives a drawing. */
  private seed(i: number): HTMLElement | null {
    const tape = this.s.tape!;
    if (!tape.flag(i, 's') || tape.released || !/^(float|complex)/.test(tape.dtype(i))) {
      return null;
    }
    if (this.field?.tape !== tape || this.field.node !== i) {
      this.field = new SeedField(this.s, tape, i);
    }
    return this.field.el;
  }

  private actions(i: number): HTMLElement {
    const tape = this.s.tape!;
    const none = tape.known.cotangent[i] === KIND.NONE && this.s.r <= i && !tape.flag(i, 'k');
    const ends = tape.flag(i, 'k') ? [] : [
      button(t('As source'), { key: '[', title: t('∂ … / ∂ this'), act: () => this.pair('source') }),
      button(t('As target'), { key: ']', title: t('∂ this / ∂ …'), act: () => this.pair('target') })
    ];
    return h('div', { class: 'akl-actions' }, none ? button(t('Why None?'), { act: () => void this.moves.why(tape.target, i) }) : null, ends);
  }
}

/** The banner over table and graph while a pair without a path is chosen. */
export function noneBanner(s: State, show: () => void, close: () => void): HTMLElement | null {
  const { why, tape, view } = s;
  if (!why || !tape || why.connected || (view !== 'graph' && view !== 'table')) {
    return null;
  }
  return banner('is-none', [h('span', { class: 'akl-v akl-v-none' }, 'None'), h('p', null, h('code', null, `∂ ${nameOf(s, why.target, why.target_name)} / ∂ ${nameOf(s, why.source, why.source_name)}`), ' ', why.headline)],
    button(t('Why?'), { act: show }), closer(close));
}

export const nameOf = (s: State, node: number | null, name?: string): string => name || (node === null || !s.tape ? '?' : s.tape.label(node));
