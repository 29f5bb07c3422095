import { h } from '../common/dom';
import type { InspectorState } from './inspectorState';

/** Arcs beside the table from a node to its inputs, and under the pointer also to its consumers. */

const MAX_CONSUMERS = 40; // consumers that are drawn

/** Where rows are on the screen. */
interface Viewport {
  viewHeight: number;
  scrollTop: number;
  headerHeight: number;
  height: number;
}

export function dependencyArcs(s: InspectorState, f: number, where: Int32Array, seen: Viewport, rail: number): HTMLElement[] {
  const tape = s.tape!;
  const x = rail - 5;
  const y = (i: number): number => Math.max(-14, Math.min(seen.viewHeight + 14, seen.headerHeight + (where[i] + 0.5) * seen.height - seen.scrollTop));
  const arc = (a: number, b: number, cls: string): HTMLElement => {
    const [ya, yb] = [y(a), y(b)];
    const w = ya === yb ? 0 : Math.min(15, 6 + Math.abs(ya - yb) / 14);
    return h('path', { d: `M${x} ${ya} C${x - w} ${ya} ${x - w} ${yb} ${x} ${yb}`, class: cls });
  };
  const dot = (i: number, r: number, cls: string): HTMLElement => h('circle', { cx: x, cy: y(i), r, class: cls });
  const way = s.direction < 0 && s.hovered === null ? 'rev' : 'fwd';
  const ins = tape.inputs(f).filter(i => !tape.flag(i, 'k') && where[i] >= 0);
  const outs = s.hovered === null ? [] : tape.consumers(f).filter(i => where[i] >= 0).slice(0, MAX_CONSUMERS);
  return [
    ...ins.map(i => arc(i, f, `akl-arc-${way}`)), ...outs.map(i => arc(f, i, 'akl-arc-out')),
    dot(f, 3.4, `akl-dot-${way}`), ...ins.filter(i => where[i] !== where[f]).map(i => dot(i, 2.6, 'akl-dot'))
  ];
}
