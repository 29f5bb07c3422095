import { summaryText, KIND, shapeText } from './valueFormat';
import type { InspectorState } from './inspectorState';
import type { Tape } from './tape';
import type { CodeLocation } from '../services/protocol';

/** Find nodes: the next None or NaN, the first of a line; and write the tape as text. */

/** The next node after the chosen one that has no cotangent, or that is not a number. */
export function nextMissingOrNan(s: InspectorState, kind: 'none' | 'nan'): number | undefined {
  const tape = s.tape!;
  const { value, cotangent } = tape.kinds;
  const hit = (i: number): boolean => !tape.flag(i, 'k') && (kind === 'none' ? cotangent[i] === KIND.NONE : value[i] === KIND.NAN || cotangent[i] === KIND.NAN);
  const from = Math.max(-1, s.selected ?? -1) + 1; // a group that is chosen has a number below 0
  return Array.from({ length: tape.n }, (_, k) => (from + k) % tape.n).find(hit);
}

export function firstNodeOnLine(tape: Tape, place: readonly [string | number, number]): number | undefined {
  const here = tape.header.tables.line.findIndex(one => one[0] === place[0] && one[1] === place[1]);
  const i = here < 0 ? -1 : tape.columns.tableColumns.line.findIndex((line, k) => line === here && !tape.flag(k, 'k'));
  return i < 0 ? undefined : i;
}

/** A row a line, with what is known of it now. */
export function tapeAsText(tape: Tape, short: (place: CodeLocation) => string): string {
  const row = (i: number): string => {
    const [value] = tape.summariesOf(i);
    return [i, tape.label(i), tape.op(i), shapeText(tape.shape(i)), short(tape.location(i)), value ? summaryText(value, tape.shape(i)) : ''].join('\t');
  };
  return Array.from({ length: tape.n }, (_, i) => row(i)).join('\n');
}
