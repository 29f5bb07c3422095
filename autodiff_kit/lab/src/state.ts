import { Changes } from './store';
import type { By, Tape } from './tape';
import type { Explanation, Place, SweepEvent } from './wire';

/** What all views of the inspector share. */

export type ViewName = 'table' | 'graph' | 'cost' | 'memory' | 'diff' | 'why';
export const VIEWS: ViewName[] = ['table', 'graph', 'cost', 'memory', 'diff', 'why'];
export type Only = '' | 'none' | 'zero' | 'nan';
export type Change = 'rows' | 'width' | 'dir' | 'expanded' | 'values' | 'kinds' | 'pos' | 'sel' | 'tape' | 'hover' | 'why' | 'state';
/** The kernel: ready, running a cell, gone, or out of reach. */
export type Condition = 'ready' | 'busy' | 'dead' | 'offline';

export interface Settings {
  follow: boolean;
  stepMilliseconds: number;
  rows: 'comfortable' | 'compact';
  columns: 'auto' | 'few' | 'all';
  collapseAbove: number;
  graphMost: number;
  markCode: boolean;
  digits: number;
  keepTapes: number;
  characterKeys: boolean;
  openInspector: 'never' | 'first' | 'always';
  openSyllabusAtStart: boolean;
}

export const DEFAULTS: Settings = {
  follow: true, stepMilliseconds: 700, rows: 'comfortable', columns: 'auto', collapseAbove: 400, graphMost: 240,
  markCode: true, digits: 4, keepTapes: 5, characterKeys: true, openInspector: 'first', openSyllabusAtStart: true
};

/** What the inspector asks of the notebook beside it. */
export interface Beside {
  /** The code of a line; empty where the cell is gone or was edited since. */
  text(place: Place): string;
  /** `7:3`: the cell's count and the line. */
  short(place: Place): string;
  /** The cell's count, for a sentence. */
  cell(place: Place): string;
  /** The cell was edited after it ran, so its lines are no longer those of the tape. */
  edited(place: Place): boolean;
  goto(place: Place): void;
}

export class State {
  readonly changes = new Changes<Change>();
  settings: Settings = { ...DEFAULTS };
  tape: Tape | null = null;
  view: ViewName = 'table';
  condition: Condition = 'ready';
  /** How far forward and reverse have come: nodes below f are recorded, nodes from r on are swept. */
  f = 0;
  r = 0;
  /** The node under the head, and the direction of the head. */
  cur: number | null = null;
  /** Just opened, nothing seeded yet: all values show, and the first step begins at the beginning. */
  fresh = false;
  dir: 1 | -1 = 1;
  /** The chosen row: a node, or −1 − g for a group. */
  sel: number | null = null;
  hover: number | null = null;
  hoverPlace: Place | null = null;
  search = '';
  only: Only = '';
  collapse: By = 'none';
  expanded = new Set<number>();
  width = 0;
  detail = false;
  why: Explanation | null = null;
  pair: { source: number | null; target: number | null } = { source: null, target: null };
  sweep: SweepEvent | null = null;
  playing = false;
  /** First and last node that the table shows. */
  window: [number, number] | null = null;
  onWindow: () => void = () => undefined;

  constructor(readonly beside: Beside) {}

  /** The tangent column shows only once an input was seeded. */
  get tangents(): boolean {
    return this.tape?.tangents ?? false;
  }
  text = (place: Place): string => this.beside.text(place);
  groups(by: By = this.collapse) {
    return this.tape?.groups(by, this.text) ?? null;
  }
  lit(place: Place): boolean {
    return !!this.hoverPlace && samePlace(place, this.hoverPlace);
  }
}

export const samePlace = (a: Place, b: Place): boolean => a[0] === b[0] && a[1] === b[1];

/** A view: its element, built for a tape, refreshed while the head moves. */
export interface View {
  el: HTMLElement;
  build(): void;
  refresh(): void;
  reveal?(node: number): void;
  focus?(): void;
}

/** What views and keys make the inspector do. */
export interface Moves {
  seek(node: number): void;
  pause(): void;
  show(view: ViewName): void;
  choose(node: number | null): void;
  line(node: number): void;
  why(target: number, source: number): Promise<void>;
}
