import { type InspectorState, type ViewName, VIEWS } from './inspectorState';
import type { Playback } from './playback';

/** Keyboard shortcuts of the inspector; each has a button as well. */

const VIEW_KEYS: Record<string, (typeof VIEWS)[number]> = { t: 'table', g: 'graph', c: 'cost', m: 'memory', d: 'diff', w: 'why' };

/** What the keys act on: the inspector. */
export interface ShortcutTarget {
  readonly el: HTMLElement;
  readonly state: InspectorState;
  readonly playback: Playback;
  show(view: ViewName): void;
  focusSearch(): void;
  togglePin(): void;
  selectNext(kind: 'none' | 'nan'): void;
  explainFrom(end: 'source' | 'target'): Promise<void>;
}

/** The action of a key, or null where it is not a shortcut. */
export function shortcutAction(e: KeyboardEvent, inspector: ShortcutTarget): (() => void) | null {
  const target = e.target as HTMLElement;
  if (e.ctrlKey || e.metaKey || e.altKey || target.matches('input, select, textarea')) {
    return e.key === 'Escape' && !e.altKey ? () => inspector.el.focus() : null;
  }
  const { playback } = inspector;
  if (e.shiftKey && (e.key === 'Home' || e.key === 'End')) {
    return e.key === 'Home' ? () => playback.rewind() : () => playback.end();
  }
  if (e.key === 'Escape') {
    return () => inspector.state.selected !== null && clearSelection(inspector);
  }
  return inspector.state.settings.characterKeys ? characterShortcut(e.key, target, inspector) : null;
}

function clearSelection(inspector: ShortcutTarget): void {
  inspector.state.selected = null;
  inspector.state.changes.notify('sel');
}

function characterShortcut(key: string, target: HTMLElement, inspector: ShortcutTarget): (() => void) | null {
  const { playback } = inspector;
  if (key === ' ') {
    return target.closest('button, summary, a') ? null : () => playback.togglePlay();
  }
  if (key in VIEW_KEYS) {
    return () => inspector.show(VIEW_KEYS[key]);
  }
  const acts: Record<string, () => void> = {
    '.': () => playback.step(1), ',': () => playback.step(-1), f: () => playback.setDirection(1), r: () => playback.setDirection(-1), '/': () => inspector.focusSearch(),
    p: () => inspector.togglePin(), n: () => inspector.selectNext('none'), N: () => inspector.selectNext('nan'), '[': () => void inspector.explainFrom('source').catch(() => undefined), ']': () => void inspector.explainFrom('target').catch(() => undefined)
  };
  return acts[key] ?? null;
}
