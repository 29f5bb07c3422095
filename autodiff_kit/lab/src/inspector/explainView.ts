import { button, selectMenu, copyToClipboard, keepFocus, replaceChildren, h, icon } from '../common/dom';
import { matrixTable, nodeName } from './nodeDetails';
import type { ViewActions, InspectorState, View } from './inspectorState';
import { Tape, expandRuns } from './tape';
import { t, tn } from '../common/translation';
import type { Explanation, JacobianReply, CodeLocation } from '../services/protocol';

const MAX_SEGMENT = 5; // nodes of one side of the gap that are all shown
const MAX_PATH = 7; // and of a path
const MAX_TARGETS = 400; // nodes that the drop-down list offers

/** "How does the target depend on the source?": the path and its Jacobian, or the cause, the gap and what to do. */
export function explainView(s: InspectorState, moves: ViewActions): View {
  return new ExplainView(s, moves);
}

class ExplainView implements View {
  readonly el = h('div', { class: 'akl-scrollview akl-why', tabIndex: 0, role: 'group', 'aria-label': t('Why?') });
  private requestedPair = '';

  constructor(private readonly s: InspectorState, private readonly actions: ViewActions) {}

  private get source(): number | null {
    const { explainPair: pair, tape } = this.s;
    return pair.source ?? tape!.sourcesWithoutGradient()[0] ?? tape!.header.sources[0] ?? null;
  }
  private get target(): number {
    return this.s.explainPair.target ?? this.s.tape!.target;
  }

  build(): void {
    keepFocus(this.el, () => this.draw());
  }

  private draw(): void {
    const { tape, explanation: why } = this.s;
    if (!tape || !this.el.isConnected) {
      return;
    }
    const { source, target } = this;
    if (source === null) {
      replaceChildren(this.el, h('p', { class: 'akl-quiet' }, t('This tape watches nothing, so it has no gradients.')));
      return;
    }
    if (why && why.target === target && why.source === source) {
      replaceChildren(this.el, this.targetAndSource(tape), why.connected ? this.connectedView(tape, why) : this.disconnectedView(tape, why), this.otherMissing(tape));
    } else {
      replaceChildren(this.el, this.targetAndSource(tape), h('p', { class: 'akl-quiet', role: 'status' }, t('Asking the kernel …')));
      this.requestExplanation(tape, target, source);
    }
  }

  private requestExplanation(tape: Tape, target: number, source: number): void {
    const asked = `${tape.id} ${target} ${source}`;
    if (asked !== this.requestedPair) {
      this.requestedPair = asked;
      const refuse = (error: Error): void => {
        if (this.s.tape === tape) {
          keepFocus(this.el, () => replaceChildren(this.el, this.targetAndSource(tape), h('p', { role: 'status' }, error.message)));
        }
      };
      void this.actions.explain(target, source).catch(refuse)
        .finally(() => (this.requestedPair = ''));
    }
  }

  private targetAndSource(tape: Tape): HTMLElement {
    const { source, target } = this;
    const list = (label: string, ids: number[], at: number | null, pick: (i: number) => void): HTMLElement => {
      const all = at !== null && !ids.includes(at) ? [at, ...ids] : ids;
      return replaceChildren(selectMenu(label, v => pick(+v), 'akl-mono'), all.map(i => h('option', { value: String(i), selected: i === at }, tape.nodeName(i) || `${tape.op(i)} #${i}`)));
    };
    const targets = Array.from({ length: tape.n }, (_, i) => i).filter(i => !tape.flag(i, 's') && !tape.flag(i, 'k') && (tape.nodeName(i) || i === tape.target)).slice(-MAX_TARGETS);
    const choose = (end: 'source' | 'target') => (i: number): void => {
      this.s.explainPair = { source: this.source, target: this.target, [end]: i };
      this.build();
    };
    return h('div', { class: 'akl-why-ask' }, h('span', null, t('How does')), list(t('Target'), targets, target, choose('target')), h('span', null, t('depend on')),
      list(t('Source'), tape.header.sources, source, choose('source')), h('span', null, '?'));
  }

  // ------------------------------------------------------------ no path
  private disconnectedView(tape: Tape, why: Explanation): (HTMLElement | null)[] {
    const place: CodeLocation | null = why.cell !== null && why.line !== null ? [why.cell, why.line] : null;
    const names = `∂ ${nodeName(this.s, why.target, why.target_name)} / ∂ ${nodeName(this.s, why.source, why.source_name)}`;
    const plain = `${names}: None. ${why.headline} ${why.because} ${why.fix}${place ? ` (${t('cell %1, line %2', this.s.code.cellLabel(place), place[1])})` : ''}`;
    return [
      h('div', { class: 'akl-verdict', role: 'status' }, h('span', { class: 'akl-v akl-v-none' }, 'None'), h('div', null, h('h3', null, why.headline), h('p', null, why.because))),
      ...this.chains(tape, why, place),
      why.fix ? h('div', { class: 'akl-fix' }, h('h4', null, t('What to do')), h('p', null, why.fix)) : null,
      h('div', { class: 'akl-actions' }, place ? button(t('Go to the line'), { ic: 'line', text: true, act: () => this.s.code.goToLine(place) }) : null,
        why.node !== null ? button(t('Show in the graph'), { ic: 'tape', text: true, act: () => this.actions.show('graph') }) : null, button(t('Copy as text'), { act: () => copyToClipboard(plain) }))
    ];
  }

  /** Two lists, because no path joins them: from the source to where its path ends, and what the target is computed from. */
  private chains(tape: Tape, why: Explanation, place: CodeLocation | null): HTMLElement[] {
    const list = (heading: string, ...items: (HTMLElement | HTMLElement[] | null)[]): HTMLElement =>
      h('div', { class: 'akl-chain-side' }, h('h4', null, heading), h('ol', { class: 'akl-chain', 'aria-label': heading }, items));
    return [
      list(t('What %1 is used for', nodeName(this.s, why.source, why.source_name)), this.sourceItems(tape, why), place ? this.gap(tape, why, place) : this.unusedItem(why)),
      list(t('What %1 is computed from', nodeName(this.s, why.target, why.target_name)), this.foldedItems(tape, this.pathToTarget(tape, why), 'is-needed', null, t('target')))
    ];
  }

  private unusedItem(why: Explanation): HTMLElement | null {
    return why.kind === 'unused' || why.kind === 'unread' ? h('li', { class: 'akl-chain-gap akl-quiet' }, t('Nothing on this tape reads it.')) : null;
  }

  private sourceItems(tape: Tape, why: Explanation): HTMLElement[] {
    const up = this.pathFromSource(tape, why);
    return up.length ? this.foldedItems(tape, up, 'is-reached', t('source'), null)
      : [h('li', { class: 'is-reached akl-chain-lost' }, h('span', { class: 'akl-chain-dot' }), h('b', null, nodeName(this.s, why.source, why.source_name)), h('span', { class: 'akl-op' }, t('no node of this tape')))];
  }

  /** From the source up to where it stops. */
  private pathFromSource(tape: Tape, why: Explanation): number[] {
    const reached = new Set(expandRuns(why.reached));
    const last = (i: number): number | undefined => tape.inputs(i).filter(x => reached.has(x)).pop();
    const ends = why.kind === 'unrelated' ? (why.node ?? undefined) : undefined;
    let at = ends ?? (why.node !== null && why.cause !== 5 && why.cause !== 1 ? last(why.node) : (why.source ?? undefined));
    const path: number[] = [];
    while (at !== undefined && path.length < tape.n) {
      path.unshift(at);
      at = at === why.source ? undefined : last(at);
    }
    return path;
  }

  /** From the gap down to the target: through nodes that hang on the line that cuts, where there are such. */
  private pathToTarget(tape: Tape, why: Explanation): number[] {
    const needed = new Set(expandRuns(why.needed));
    const cut = why.cause === 5 ? null : why.node;
    const hangs = new Set(cut === null ? [] : [cut]);
    for (let i = (cut ?? tape.n) + 1; i <= why.target; i++) {
      if (tape.inputs(i).some(x => hangs.has(x))) {
        hangs.add(i);
      }
    }
    const path = [why.target];
    for (let at: number | undefined = why.target; at !== undefined && path.length < tape.n;) {
      const ins: number[] = at === cut ? [] : tape.inputs(at).filter(x => needed.has(x) && x !== cut && !tape.flag(x, 'k'));
      at = ins.find(x => hangs.has(x)) ?? (hangs.size > 1 ? undefined : ins.find(x => x > (cut ?? -1)));
      if (at !== undefined) {
        path.unshift(at);
      }
    }
    return path;
  }

  private gap(tape: Tape, why: Explanation, place: CodeLocation): HTMLElement {
    const where = [this.s.code.cellLabel(place), place[1]];
    const words = this.s.code.isEdited(place) ? t('The path ended in cell %1, line %2; the cell was edited since.', ...where)
      : why.node !== null ? t('The path ends at %3: cell %1, line %2', ...where, tape.op(why.node)) : why.cause === 5 ? t('No path continues from here: cell %1, line %2', ...where) : t('The path ends here: cell %1, line %2', ...where);
    return h('li', { class: 'akl-chain-gap' }, h('span', { class: 'akl-chain-cut', 'aria-hidden': 'true' }, icon('cut')),
      h('button', { type: 'button', class: 'akl-plainbtn', on: { click: () => this.s.code.goToLine(place), ...this.hoverListeners(place, null) } }, h('code', null, why.code), h('span', null, words)));
  }

  private hoverListeners(place: CodeLocation, node: number | null): Record<string, () => void> {
    const set = (on: boolean) => (): void => {
      this.s.hoveredLine = on ? place : null;
      this.s.hovered = on ? node : null;
      this.s.changes.notify('hover');
    };
    return { pointerenter: set(true), pointerleave: set(false), focus: set(true), blur: set(false) };
  }

  private item(tape: Tape, i: number, cls: string, role: string | null): HTMLElement {
    const place = tape.location(i);
    return h('li', { class: cls }, h('span', { class: 'akl-chain-dot', 'aria-hidden': 'true' }),
      h('button', { type: 'button', class: 'akl-plainbtn', on: { click: () => this.actions.goToLine(i), ...this.hoverListeners(place, i) } }, h('b', null, tape.label(i)), h('span', { class: 'akl-op' }, tape.nodeName(i) ? tape.op(i) : tape.note(i)),
        role ? h('i', { class: 'akl-tag akl-tag-quiet' }, role) : null, h('span', { class: 'akl-chain-line' }, this.s.code.lineLabel(place))));
  }

  private foldedItems(tape: Tape, list: number[], cls: string, first: string | null, last: string | null): HTMLElement[] {
    const item = (i: number, k: number): HTMLElement => this.item(tape, i, cls, k === 0 && first ? first : k === list.length - 1 ? last : null);
    if (list.length <= MAX_SEGMENT) {
      return list.map(item);
    }
    const end = list.length - 2;
    return [...list.slice(0, 2).map(item), this.foldMark(cls, list.length - 4), ...list.slice(-2).map((i, k) => item(i, end + k))];
  }

  private foldMark(cls: string, n: number): HTMLElement {
    return h('li', { class: `${cls} akl-chain-fold` }, h('span', { class: 'akl-chain-dot' }), tn('%1 more node', '%1 more nodes', n));
  }

  // ------------------------------------------------------------ a path
  private connectedView(tape: Tape, why: Explanation): HTMLElement[] {
    const needed = new Set(expandRuns(why.needed));
    const path = expandRuns(why.reached).filter(i => needed.has(i));
    const items = path.length > MAX_PATH ? [...path.slice(0, 4).map(i => this.item(tape, i, 'is-both', null)), this.foldMark('is-both', path.length - 6), ...path.slice(-2).map(i => this.item(tape, i, 'is-both', null))]
      : path.map(i => this.item(tape, i, 'is-both', null));
    const out = h('div', { class: 'akl-jac' });
    void tape.jacobian(why.target, why.source!).then(reply => replaceChildren(out, this.jacobian(why, reply)), () => undefined);
    return [h('div', { class: 'akl-verdict is-ok', role: 'status' }, h('span', { class: 'akl-okmark' }, icon('check')), h('div', null, h('h3', null, why.headline), h('p', null, why.because))),
      h('ol', { class: 'akl-chain' }, items), out];
  }

  private jacobian(why: Explanation, reply: JacobianReply): HTMLElement[] {
    const names = [nodeName(this.s, why.target, why.target_name), nodeName(this.s, why.source, why.source_name)];
    if (!reply.rows) {
      return [h('p', { class: 'akl-quiet' }, t('The Jacobian has %1 × %2 numbers, more than the panel draws. tape.jacobian(%3, %4) gives it.', reply.m, reply.n, ...names))];
    }
    return [h('h4', null, t('∂ %1 / ∂ %2', ...names)), matrixTable(reply.rows)];
  }

  private otherMissing(tape: Tape): HTMLElement | null {
    const rest = tape.sourcesWithoutGradient().filter(i => i !== this.source || this.s.explanation?.connected);
    const choose = (i: number): void => {
      this.s.explainPair = { source: i, target: null };
      void this.actions.explain(tape.target, i);
    };
    const row = (i: number): HTMLElement => h('li', null, h('button', { type: 'button', class: 'akl-linkrow', on: { click: () => choose(i) } }, h('code', null, `∂ ${tape.label(tape.target)} / ∂ ${tape.label(i)}`), h('span', null, 'None')));
    return rest.length ? h('div', { class: 'akl-others' }, h('h4', null, t('Other None on this tape')), h('ul', null, rest.map(row))) : null;
  }

  refresh(): void {
    // Nothing here moves with the playhead.
  }
}

