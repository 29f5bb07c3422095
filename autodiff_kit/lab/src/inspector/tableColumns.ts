import { t } from '../common/translation';

/** The table's columns: their titles, widths, and which of them fit the panel. */

export type Column = 'shape' | 'value' | 'tangent' | 'cotangent' | 'line' | 'flops' | 'bytes';
export const COLUMNS: Column[] = ['shape', 'value', 'tangent', 'cotangent', 'line', 'flops', 'bytes'];
const WIDTHS: Record<Column, string> = {
  shape: '58px', value: 'minmax(94px, 1fr)', tangent: 'minmax(94px, 1fr)', cotangent: 'minmax(94px, 1fr)',
  line: '56px', flops: '62px', bytes: '66px'
};
const NARROW = 330; // px under which numbers get by with less, so that the last column is not cut
/** The width of a column in a panel so wide. */
export const columnWidth = (c: Column, room: number): string => (room < NARROW ? WIDTHS[c].replace('94px', '74px') : WIDTHS[c]);
const MIN_WIDTHS: [Column, number][] = [['shape', 560], ['line', 660], ['flops', 740], ['bytes', 820]];
const BOTH_DIRECTIONS_WIDTH = 470; // px from which both directions have a column

export const columnTitle = (c: Column): string => ({
  shape: t('shape'), value: t('value'), tangent: t('tangent'), cotangent: t('cotangent'), line: t('line'), flops: t('ops'), bytes: t('held')
})[c];

/** Which columns fit: the sweep that runs always shows, the rest appear as room grows. */
export function visibleColumns(width: number, dir: 1 | -1, tangents: boolean, wish: 'auto' | 'few' | 'all' = 'auto'): Column[] {
  const has = new Set<Column>(['value']);
  const room = wish === 'all' ? Infinity : wish === 'few' ? 0 : width;
  const both = room >= BOTH_DIRECTIONS_WIDTH;
  if (tangents && (both || dir > 0)) {
    has.add('tangent');
  }
  if (both || dir < 0 || !tangents) {
    has.add('cotangent');
  }
  MIN_WIDTHS.forEach(([c, from]) => room >= from && has.add(c));
  return COLUMNS.filter(c => has.has(c));
}
