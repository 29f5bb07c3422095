import { KIND } from './numbers';
import type { Tape } from './tape';
import type { Place } from './wire';

/** Nodes together: by the line that made them, or by their module; and what each line costs. */

export type By = 'none' | 'line' | 'module';

export interface Group {
  g: number;
  ids: number[];
  place: Place;
  label: string;
  byLine: boolean;
  flops: number;
  back: number;
  bytes: number;
  value: number;
  tangent: number;
  cotangent: number;
}

export interface Grouped {
  groups: Group[];
  of: Int32Array;
}

export interface LineCost {
  place: Place;
  runs: number;
  fwd: number;
  back: number;
  bytes: number;
}

/** Groups in the order in which each first ran; `text` gives a line's code. */
export function grouped(tape: Tape, by: By, text: (place: Place) => string): Grouped {
  const made = collected(tape, by, text);
  made.groups.forEach(group => finish(tape, group));
  return made;
}

function collected(tape: Tape, by: By, text: (place: Place) => string): Grouped {
  const { line, module } = tape.c.short;
  const named = tape.head.tables.module.map(word => by === 'module' && word !== '');
  const seen = new Map<number, number>();
  const groups: Group[] = [];
  const of = new Int32Array(tape.n);
  for (let i = 0; i < tape.n; i++) {
    const byLine = !named[module[i]];
    const key = byLine ? -1 - line[i] : module[i];
    let g = seen.get(key);
    if (g === undefined) {
      g = groups.length;
      seen.set(key, g);
      const place = tape.place(i);
      groups.push({ g, ids: [], place, label: byLine ? text(place) : tape.module(i), byLine, flops: 0, back: 0, bytes: 0, value: 0, tangent: 0, cotangent: 0 });
    }
    groups[g].ids.push(i);
    of[i] = g;
  }
  return { groups, of };
}

function finish(tape: Tape, group: Group): void {
  const { flops, bytes } = tape.c.cost;
  for (const i of group.ids) {
    group.flops += flops[i];
    group.back += tape.backward(i);
    group.bytes += bytes[i];
  }
  group.value = gravest(tape.known.value, group.ids);
  group.tangent = gravest(tape.known.tangent, group.ids);
  group.cotangent = gravest(tape.known.cotangent, group.ids);
  group.label ||= tape.label(group.ids[group.ids.length - 1]);
}

const ORDER = [KIND.NAN, KIND.INF, KIND.FINITE, KIND.FROZEN, KIND.ZERO, KIND.UNKNOWN, KIND.NONE];

/** NaN before infinity before a number before zero before None: what a group shows of its nodes. */
export function gravest(codes: Uint8Array, ids: number[]): number {
  let met = 0;
  for (const i of ids) {
    met |= 1 << codes[i];
  }
  return ORDER.find(kind => met & (1 << kind)) ?? KIND.UNKNOWN;
}

/** Cost by line, dearest first. */
export function lineCosts(tape: Tape): LineCost[] {
  const { flops, bytes } = tape.c.cost;
  const lines = new Map<number, LineCost>();
  for (let i = 0; i < tape.n; i++) {
    const key = tape.c.short.line[i];
    let line = lines.get(key);
    if (!line) {
      line = { place: tape.place(i), runs: 0, fwd: 0, back: 0, bytes: 0 };
      lines.set(key, line);
    }
    line.runs++;
    line.fwd += flops[i];
    line.back += tape.backward(i);
    line.bytes += bytes[i];
  }
  return [...lines.values()].sort((a, b) => b.fwd + b.back - a.fwd - a.back);
}
