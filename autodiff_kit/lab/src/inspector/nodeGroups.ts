import { KIND } from './valueFormat';
import type { TapeColumns } from './tapeColumns';
import type { CodeLocation, Quantity, TapeHeader } from '../services/protocol';

/** Groups of nodes by source line or by module, and the cost of each line. */

export type GroupBy = 'none' | 'line' | 'module';

export interface NodeGroup {
  g: number;
  ids: number[];
  place: CodeLocation;
  label: string;
  byLine: boolean;
  flops: number;
  back: number;
  bytes: number;
  value: number;
  tangent: number;
  cotangent: number;
}

/** What grouping reads of a tape. */
export interface GroupableTape {
  readonly n: number;
  readonly columns: TapeColumns;
  readonly header: TapeHeader;
  readonly kinds: Record<Quantity, Uint8Array>;
  location(i: number): CodeLocation;
  module(i: number): string;
  label(i: number): string;
  backwardCost(i: number): number;
}

export interface NodeGroups {
  groups: NodeGroup[];
  groupOf: Int32Array;
}

export interface LineCost {
  place: CodeLocation;
  runs: number;
  fwd: number;
  back: number;
  bytes: number;
}

/** Groups in the order in which each first ran; `text` gives a line's code. */
export function groupNodes(tape: GroupableTape, by: GroupBy, text: (place: CodeLocation) => string): NodeGroups {
  const made = collectGroups(tape, by, text);
  made.groups.forEach(group => summarizeGroup(tape, group));
  return made;
}

function collectGroups(tape: GroupableTape, by: GroupBy, text: (place: CodeLocation) => string): NodeGroups {
  const { line, module } = tape.columns.tableColumns;
  const named = tape.header.tables.module.map(word => by === 'module' && word !== '');
  const seen = new Map<number, number>();
  const groups: NodeGroup[] = [];
  const of = new Int32Array(tape.n);
  for (let i = 0; i < tape.n; i++) {
    const byLine = !named[module[i]];
    const key = byLine ? -1 - line[i] : module[i];
    let g = seen.get(key);
    if (g === undefined) {
      g = groups.length;
      seen.set(key, g);
      const place = tape.location(i);
      groups.push({ g, ids: [], place, label: byLine ? text(place) : tape.module(i), byLine, flops: 0, back: 0, bytes: 0, value: 0, tangent: 0, cotangent: 0 });
    }
    groups[g].ids.push(i);
    of[i] = g;
  }
  return { groups, groupOf: of };
}

function summarizeGroup(tape: GroupableTape, group: NodeGroup): void {
  const { flops, bytes } = tape.columns.cost;
  for (const i of group.ids) {
    group.flops += flops[i];
    group.back += tape.backwardCost(i);
    group.bytes += bytes[i];
  }
  group.value = mostSevereKind(tape.kinds.value, group.ids);
  group.tangent = mostSevereKind(tape.kinds.tangent, group.ids);
  group.cotangent = mostSevereKind(tape.kinds.cotangent, group.ids);
  group.label ||= tape.label(group.ids[group.ids.length - 1]);
}

const SEVERITY = [KIND.NAN, KIND.INF, KIND.FINITE, KIND.FROZEN, KIND.ZERO, KIND.UNKNOWN, KIND.NONE];

/** The kind that a group shows: NaN before infinity before finite before zero before None. */
export function mostSevereKind(codes: Uint8Array, ids: number[]): number {
  let met = 0;
  for (const i of ids) {
    met |= 1 << codes[i];
  }
  return SEVERITY.find(kind => met & (1 << kind)) ?? KIND.UNKNOWN;
}

/** Cost by line, most expensive first. */
export function lineCosts(tape: GroupableTape): LineCost[] {
  const { flops, bytes } = tape.columns.cost;
  const lines = new Map<number, LineCost>();
  for (let i = 0; i < tape.n; i++) {
    const key = tape.columns.tableColumns.line[i];
    let line = lines.get(key);
    if (!line) {
      line = { place: tape.location(i), runs: 0, fwd: 0, back: 0, bytes: 0 };
      lines.set(key, line);
    }
    line.runs++;
    line.fwd += flops[i];
    line.back += tape.backwardCost(i);
    line.bytes += bytes[i];
  }
  return [...lines.values()].sort((a, b) => b.fwd + b.back - a.fwd - a.back);
}
