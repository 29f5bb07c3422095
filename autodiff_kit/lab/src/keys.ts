import type { Inspector } from './inspector';
import { VIEWS } from './state';

/** Keys of the inspector; each of them has a button as well. */

const VIEW_OF: Record<string, (typeof VIEWS)[number]> = { t: 'table', g: 'graph', c: 'cost', m: 'memory', d: 'diff', w: 'why' };

/** What a key does here, or null where it is not the inspector's. */
export function keyOf(e: KeyboardEvent, inspector: Inspector): (() => void) | null {
  const target = e.target as HTMLElement;
  if (e.ctrlKey || e.metaKey || e.altKey || target.matches('input, select, textarea')) {
    return e.key === 'Escape' && !e.altKey ? () => inspector.el.focus() : null;
  }
  const { transport } = inspector;
  if (e.shiftKey && (e.key === 'Home' || e.key === 'End')) {
    return e.key === 'Home' ? () => transport.rewind() : () => transport.end();
  }
  if (e.key === 'Escape') {
    return () => inspector.s.sel !== null && escape(inspector);
  }
  return inspector.s.settings.characterKeys ? character(e.key, target, inspector) : null;
}

function escape(inspector: Inspector): void {
  inspector.s.sel = null;
  inspector.s.changes.tell('sel');
}

function character(key: string, target: HTMLElement, inspector: Inspector): (() => void) | null {
  const { transport } = inspector;
  if (key === ' ') {
    return target.closest('button, summary, a') ? null : () => transport.toggle();
  }
  if (key in VIEW_OF) {
    return () => inspector.show(VIEW_OF[key]);
  }
  const acts: Record<string, () => void> = {
    '.': () => transport.step(1), ',': () => transport.step(-1), f: () => transport.turn(1), r: () => transport.turn(-1), '/': () => inspector.focusSearch(),
    p: () => inspector.togglePin(), n: () => inspector.next('none'), N: () => inspector.next('nan'), '[': () => void inspector.pair('source'), ']': () => void inspector.pair('target')
  };
  return acts[key] ?? null;
}
