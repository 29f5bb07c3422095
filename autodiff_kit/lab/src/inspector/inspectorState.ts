import { ChangeNotifier } from '../common/changeNotifier';
import { DEFAULTS, type Settings } from '../services/defaultSettings';
import type { GroupBy } from './nodeGroups';
import type { Tape } from './tape';
import type { Explanation, CodeLocation, SweepStep } from '../services/protocol';

/** The state that all views of the inspector share. */

export type ViewName = 'table' | 'graph' | 'cost' | 'memory' | 'diff' | 'why';
export const VIEWS: ViewName[] = ['table', 'graph', 'cost', 'memory', 'diff', 'why'];
export type RowFilter = '' | 'none' | 'zero' | 'nan';
export type StateChange = 'rows' | 'width' | 'dir' | 'expanded' | 'values' | 'kinds' | 'pos' | 'sel' | 'tape' | 'hover' | 'why' | 'state';
/** The kernel: ready, running a cell, gone, or out of reach. */
export type KernelCondition = 'ready' | 'busy' | 'dead' | 'offline';

/** Looks up the notebook's code for a location on the tape. */
export interface CodeLookup {
  /** The code of a line; empty where the cell is gone or was edited since. */
  lineText(place: CodeLocation): string;
  /** `7:3`: the cell's count and the line. */
  lineLabel(place: CodeLocation): string;
  /** The cell's count, for a sentence. */
  cellLabel(place: CodeLocation): string;
  /** The cell was edited after it ran, so its lines are no longer those of the tape. */
  isEdited(place: CodeLocation): boolean;
  goToLine(place: CodeLocation): void;
}

export class InspectorState {
  readonly changes = new ChangeNotifier<StateChange>();
  settings: Settings = { ...DEFAULTS };
  tape: Tape | null = null;
  view: ViewName = 'table';
  kernelCondition: KernelCondition = 'ready';
  /** Why the tape that was asked for last is not the one that is shown; empty where it is. */
  refusal = '';
  /** How far the sweeps have come: nodes below forwardEnd are recorded, nodes from reverseEnd on have their cotangent. */
  forwardEnd = 0;
  reverseEnd = 0;
  /** The node under the playhead, null where it is on none. */
  playhead: number | null = null;
  /** Just opened: all values show, and the first step begins at the first node. */
  unstarted = false;
  direction: 1 | -1 = 1;
  /** The chosen row: a node, or −1 − g for a group. */
  selected: number | null = null;
  hovered: number | null = null;
  hoveredLine: CodeLocation | null = null;
  search = '';
  filter: RowFilter = '';
  grouping: GroupBy = 'none';
  expanded = new Set<number>();
  width = 0;
  detailsOpen = false;
  explanation: Explanation | null = null;
  explainPair: { source: number | null; target: number | null } = { source: null, target: null };
  sweepStep: SweepStep | null = null;
  playing = false;
  /** First and last node that the table shows. */
  visibleNodes: [number, number] | null = null;
  onVisibleNodes: () => void = () => undefined;

  constructor(readonly code: CodeLookup) {}

  /** The tangent column shows only once an input was seeded. */
  get tangents(): boolean {
    return this.tape?.hasTangents ?? false;
  }
  lineText = (place: CodeLocation): string => this.code.lineText(place);
  groups(by: GroupBy = this.grouping) {
    return this.tape?.groups(by, this.lineText) ?? null;
  }
  isHighlighted(place: CodeLocation): boolean {
    return !!this.hoveredLine && isSameLine(place, this.hoveredLine);
  }
}

export const isSameLine = (a: CodeLocation, b: CodeLocation): boolean => a[0] === b[0] && a[1] === b[1];

/** A view: its element, built for a tape, refreshed while the playhead moves. */
export interface View {
  el: HTMLElement;
  build(): void;
  refresh(): void;
  reveal?(node: number): void;
  focus?(): void;
}

/** The actions that views and keys trigger in the inspector. */
export interface ViewActions {
  seek(node: number): void;
  pause(): void;
  show(view: ViewName): void;
  select(node: number | null): void;
  goToLine(node: number): void;
  explain(target: number, source: number): Promise<void>;
}
