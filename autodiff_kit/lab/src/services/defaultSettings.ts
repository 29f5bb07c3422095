/** The settings of all panels and their defaults; the schema states the same ones for the settings editor. */

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
  markCode: true, digits: 4, keepTapes: 5, characterKeys: true, openInspector: 'never', openSyllabusAtStart: true
};
