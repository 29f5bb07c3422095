import type { Panel } from '@lumino/widgets';

/** What a reader chose in a lesson's widget: its inputs and what it shows of them, without what the kernel computes. */
export type WidgetState = Record<string, unknown>;

/** A widget's model in the page, as far as it is needed here. */
export interface WidgetModel {
  get(name: string): unknown;
  set(changes: WidgetState): unknown;
  save_changes(): void;
  on(event: string, listener: () => void): void;
  off(event: string, listener: () => void): void;
}

/** Jupyter's widgets give no other way from what is drawn to its model; null where there is none. */
export function modelOf(drawn: unknown): WidgetModel | null {
  const [widget] = (drawn as Panel).widgets as readonly { _view?: { model?: WidgetModel } }[];
  return widget?._view?.model ?? null;
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** All that a reader may change; empty for a widget of another kind. */
export function stateOf(model: WidgetModel): WidgetState {
  const { input = [], view = [] } = (model.get('trait_roles') ?? {}) as { input?: string[]; view?: string[] };
  return Object.fromEntries([...input, ...view].map(name => [name, model.get(name)]));
}

/** What stands otherwise than at first; null where nothing does. */
export function changesSince(first: WidgetState, now: WidgetState): WidgetState | null {
  const changed = Object.entries(now).filter(([name, value]) => !isSame(value, first[name]));
  return changed.length ? Object.fromEntries(changed) : null;
}

/** Put a widget where a reader left it. */
export function restoreState(model: WidgetModel, state: WidgetState): void {
  const known = stateOf(model);
  const wanted = Object.fromEntries(Object.entries(state).filter(([name]) => name in known));
  const send = (): void => {
    model.set({ ...wanted, asked: Number(model.get('answered') ?? 0) + 1 });
    model.save_changes();
  };
  const onAnswer = (): void => {
    model.off('change:answered', onAnswer);
    if (changesSince(wanted, Object.fromEntries(Object.keys(wanted).map(name => [name, model.get(name)])))) {
      send(); // a preset brought settings of its own; what was changed after it was chosen comes now
    }
  };
  model.on('change:answered', onAnswer);
  send();
}
