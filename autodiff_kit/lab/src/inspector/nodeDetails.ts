import { banner, button, closeButton, keepFocus, replaceChildren, h, icon } from '../common/dom';
import { formatNumber } from '../common/numberFormat';
import { summaryText, KIND, showValue, shapeText, sizeOf } from './valueFormat';
import { derivativeRule } from './derivativeRules';
import { TangentField } from './tangentField';
import type { ViewActions, InspectorState } from './inspectorState';
import { groupThousands, t } from '../common/translation';
import type { ArrayReply, JsonNumber, Quantity } from '../services/protocol';

const ROLES: Record<Quantity, string> = { value: 'value', tangent: 'fwd', cotangent: 'rev' };
const SHOWN_CONSUMERS = 6; // that are named

const MANY_COLUMNS = 4; // more are drawn closer, and with two digits

/** A small matrix, zeros as blocks; where the panel is too narrow for its columns, it is scrolled in a box of its own. */
export function matrixTable(rows: JsonNumber[][], role = ''): HTMLElement {
  const isWide = rows[0].length > MANY_COLUMNS;
  const cell = (v: JsonNumber): HTMLElement => h('td', { class: v === 'nan' ? 'is-nan' : '' }, v === 0 ? h('span', { class: 'akl-v akl-v-zero' }, '0') : formatNumber(v, isWide ? 2 : 3));
  const table = h('table', { class: `akl-matrix akl-matrix-${role}${isWide ? ' is-wide' : ''}`, role: 'presentation' }, h('tbody', null, rows.map(row => h('tr', null, row.map(cell)))));
  return isWide ? h('div', { class: 'akl-matrix-box', tabIndex: 0, role: 'group', 'aria-label': t('All entries') }, table) : table;
}

function smallMatrix(reply: ArrayReply | null, role: string): HTMLElement | null {
  if (!reply || reply.cut || reply.shape.length > 2 || sizeOf(reply.shape) < 2) {
    return null;
  }
  const [m, n] = reply.shape.length === 2 ? reply.shape : [1, reply.shape[0]];
  return m > 6 || n > 8 ? null : matrixTable(Array.from({ length: m }, (_, i) => reply.data.slice(i * n, (i + 1) * n)), role);
}

/** Details of the selected node: its line, rule, value, tangent, cotangent, hook and consumers. */
export class NodeDetails {
  readonly el = h('section', { class: 'akl-detail', 'aria-label': t('The chosen node') });
  private drawn = '';
  /** How far down the learner has scrolled: to read it off the page while that changes costs a layout. */
  private scrollTop = 0;

  constructor(private readonly s: InspectorState, private readonly moves: ViewActions, private readonly pair: (role: 'source' | 'target') => void) {}

  /** True when there is something to show. */
  get hasContent(): boolean {
    const { s } = this;
    return !!s.tape && s.selected !== null && s.selected >= 0 && (s.view === 'table' || s.view === 'graph');
  }

  draw(): void {
    keepFocus(this.el, () => (this.hasContent ? this.drawNode() : replaceChildren(this.el)));
  }

  private drawNode(): void {
    const i = this.s.selected as number;
    const typing = this.tangentField?.el.contains(document.activeElement) ? (document.activeElement as HTMLElement) : null;
    const body = h('div', { class: 'akl-detail-body', tabIndex: 0, role: 'group', 'aria-label': t('About the chosen node') }, this.code(i), this.rule(i), this.quantities(i), this.tangentInput(i), this.hook(i), this.contributions(i), this.consumers(i), this.actions(i));
    this.scrollTop = this.drawn === String(i) ? this.scrollTop : 0;
    this.drawn = String(i);
    replaceChildren(this.el, this.header(i), body);
    if (this.scrollTop) {
      body.scrollTop = this.scrollTop;
    }
    body.addEventListener('scroll', () => (this.scrollTop = body.scrollTop), { passive: true });
    typing?.focus({ preventScroll: true }); // what is put in anew loses the focus
  }

  private header(i: number): HTMLElement {
    const tape = this.s.tape!;
    const place = tape.location(i);
    const about = [`#${i}`, tape.nodeName(i) ? tape.op(i) : tape.note(i), tape.shape(i).length ? shapeText(tape.shape(i)) : '', tape.dtype(i)].filter(Boolean).join(' ');
    return h('div', { class: 'akl-detail-head' }, h('b', null, tape.label(i)), h('span', { class: 'akl-op' }, about),
      h('button', { type: 'button', class: 'akl-quietbtn', title: t('Go to the line (Enter)'), on: { click: () => this.moves.goToLine(i) } }, this.s.code.lineLabel(place)),
      closeButton(() => this.moves.select(null), 'Esc'));
  }

  private code(i: number): HTMLElement | null {
    const place = this.s.tape!.location(i);
    if (this.s.code.isEdited(place)) {
      return h('p', { class: 'akl-quiet' }, t('The cell was edited after it ran, so its line is not shown.'));
    }
    const text = this.s.code.lineText(place);
    return text ? h('code', { class: 'akl-codeline', title: t('cell %1, line %2', this.s.code.cellLabel(place), place[1]) }, text) : null;
  }

  /** A node by its name, to be chosen by a click. */
  private nodeLink(i: number): HTMLElement {
    const tape = this.s.tape!;
    const first = tape.summariesOf(i)[0]?.[6][0];
    const text = tape.flag(i, 'k') && first !== undefined ? formatNumber(first, 3) : tape.nodeName(i) || `${tape.op(i)} #${i}`;
    return h('button', { type: 'button', class: 'akl-nodelink', on: { click: () => this.moves.select(i) } }, text);
  }

  private nodeLinks(ids: number[]): (HTMLElement | string)[] {
    return ids.flatMap((i, k) => [k ? ', ' : '', this.nodeLink(i)]);
  }

  private rule(i: number): HTMLElement {
    const tape = this.s.tape!;
    const { formula, sends } = derivativeRule(tape.op(i));
    const ins = tape.inputs(i);
    return h('p', { class: 'akl-rule' }, formula ? h('b', null, formula) : null, ins.length ? [' ', t('of'), ' ', this.nodeLinks(ins)] : null,
      sends ? [formula || ins.length ? h('br') : null, h('span', { class: 'akl-as-rev' }, `↑ ${sends}`)] : null);
  }

  // ------------------------------------------------------------ value, tangent, cotangent
  private quantities(i: number): (HTMLElement | null)[] {
    const { s } = this;
    const recorded = i < s.forwardEnd;
    const shown: [Quantity, string, boolean][] = [['value', t('value'), recorded], ['tangent', `↓ ${t('tangent')}`, recorded], ['cotangent', `↑ ${t('cotangent')}`, i >= s.reverseEnd]];
    const here = shown.filter(([what]) => what !== 'tangent' || s.tangents);
    const one = s.width >= 720 ? null : this.primaryQuantity(i);
    return [h('div', { class: 'akl-blocks' }, here.map(([what, title, ready]) => this.block(i, what, title, ready, !one || what === one)))];
  }

  /** On a narrow panel one matrix shows, under its own heading: that of the sweep that runs. */
  private primaryQuantity(i: number): Quantity {
    const { s } = this;
    const has = (what: Quantity): boolean => s.tape!.kinds[what][i] >= KIND.FINITE;
    return s.direction < 0 && i >= s.reverseEnd && has('cotangent') ? 'cotangent' : s.direction > 0 && s.tangents && has('tangent') ? 'tangent' : 'value';
  }

  private block(i: number, what: Quantity, title: string, ready: boolean, matrices: boolean): HTMLElement {
    const tape = this.s.tape!;
    const v = h('span', { class: 'akl-v' });
    const constant = what !== 'value' && tape.flag(i, 'k');
    const kind = what === 'cotangent' ? tape.cotangentKind(i, this.s.reverseEnd) : !ready ? KIND.NOT_BEGUN : constant ? KIND.CONSTANT : tape.kind(what, i);
    showValue(v, ROLES[what], kind, tape.summariesOf(i)[['value', 'tangent', 'cotangent'].indexOf(what)], tape.shape(i));
    return h('div', { class: `akl-block akl-block-${ROLES[what]}` }, h('div', { class: 'akl-block-head' }, h('span', null, title), v), matrices && ready && kind >= KIND.FINITE ? this.smallArray(i, what) : null);
  }

  /** The entries come from the kernel, once, when the node is chosen. */
  private smallArray(i: number, what: Quantity): HTMLElement | null {
    const tape = this.s.tape!;
    const shape = tape.shape(i);
    const size = sizeOf(shape);
    if (shape.length > 2 || size < 2 || size > 48 || (what !== 'value' && tape.kinds[what][i] === KIND.NONE)) {
      return null;
    }
    const out = h('div', { class: 'akl-small' });
    void tape.array(i, what).then(reply => replaceChildren(out, smallMatrix(reply, ROLES[what])));
    return out;
  }

  // ------------------------------------------------------------ hook, what it sends, who reads it
  private hook(i: number): HTMLElement | null {
    const tape = this.s.tape!;
    const hook = tape.header.hooks[i] ?? (this.s.sweepStep?.node === i ? this.s.sweepStep.hook : undefined);
    if (!hook) {
      return null;
    }
    const text = (s: typeof hook.before): string => (s ? summaryText(s, tape.shape(i)) : '…');
    return h('div', { class: 'akl-hook' }, icon('hook'), h('div', null, h('b', null, t('A hook: %1', hook.label)),
      h('p', null, t('in: %1, out: %2', text(hook.before), text(hook.after)))));
  }

  private contributions(i: number): HTMLElement | null {
    const { sweepStep: sweep, tape, direction: dir } = this.s;
    if (dir > 0 || !sweep?.sends.length || sweep.node !== i) {
      return null;
    }
    const parts = sweep.sends.flatMap((one, k) => [k ? ' · ' : '', this.nodeLink(one.to), ' ', h('span', { class: 'akl-as-rev akl-numt' }, one.part ? summaryText(one.part, tape!.shape(one.to)) : 'None')]);
    return h('p', { class: 'akl-rule' }, h('span', { class: 'akl-as-rev' }, `↑ ${t('sends')}`), ' ', parts);
  }

  private consumers(i: number): HTMLElement {
    const tape = this.s.tape!;
    const all = tape.consumers(i);
    if (!all.length) {
      return h('p', { class: 'akl-quiet akl-rule' }, i === tape.header.target ? t('This is the target.') : t('No node reads it.'));
    }
    const more = all.length > SHOWN_CONSUMERS ? ` ${t('and %1 more', groupThousands(all.length - SHOWN_CONSUMERS))}` : null;
    return h('p', { class: 'akl-rule akl-quiet' }, t('read by'), ' ', this.nodeLinks(all.slice(0, SHOWN_CONSUMERS)), more);
  }

  private tangentField: TangentField | null = null;

  /** An input that can be seeded has a field for it; what stands in the field outlives a drawing. */
  private tangentInput(i: number): HTMLElement | null {
    const tape = this.s.tape!;
    if (!tape.flag(i, 's') || tape.released || !/^(float|complex)/.test(tape.dtype(i))) {
      return null;
    }
    if (this.tangentField?.tape !== tape || this.tangentField.node !== i) {
      this.tangentField = new TangentField(this.s, tape, i);
    }
    return this.tangentField.el;
  }

  private actions(i: number): HTMLElement {
    const tape = this.s.tape!;
    const none = !tape.isTargetElsewhere && tape.kinds.cotangent[i] === KIND.NONE && this.s.reverseEnd <= i && !tape.flag(i, 'k');
    const ends = tape.flag(i, 'k') ? [] : [
      button(t('As source'), { key: '[', title: t('∂ … / ∂ this'), act: () => this.pair('source') }),
      button(t('As target'), { key: ']', title: t('∂ this / ∂ …'), act: () => this.pair('target') })
    ];
    return h('div', { class: 'akl-actions' }, none ? button(t('Why None?'), { act: () => void this.moves.explain(tape.target, i).catch(() => undefined) }) : null, ends);
  }
}

/** The banner over table and graph while a pair without a path is chosen. */
export function noneBanner(s: InspectorState, show: () => void, close: () => void): HTMLElement | null {
  const { explanation: why, tape, view } = s;
  if (!why || !tape || why.connected || (view !== 'graph' && view !== 'table')) {
    return null;
  }
  return banner('is-none', [h('span', { class: 'akl-v akl-v-none' }, 'None'), h('p', null, h('code', null, `∂ ${nodeName(s, why.target, why.target_name)} / ∂ ${nodeName(s, why.source, why.source_name)}`), ' ', why.headline)],
    button(t('Why?'), { act: show }), closeButton(close));
}

export const nodeName = (s: InspectorState, node: number | null, name?: string): string => name || (node === null || !s.tape ? '?' : s.tape.label(node));
