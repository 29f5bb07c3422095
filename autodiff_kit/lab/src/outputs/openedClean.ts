import type { NotebookPanel } from '@jupyterlab/notebook';

/** What JupyterLab writes about a kernel into a notebook that is merely opened. */
const ABOUT_KERNEL = new Set(['language_info', 'kernelspec']);

interface Change {
  key?: string;
  oldValue?: { name?: string };
  newValue?: { name?: string };
}

/** A notebook to which only the versions of its own kernel were added has no change that a reader would have to save. */
export function stayCleanWhenOpened({ context }: NotebookPanel): void {
  const { model } = context;
  let isChanged = false;
  model.contentChanged.connect(() => (isChanged ||= context.isReady));
  context.saveState.connect((_, state) => (isChanged &&= state !== 'completed'));
  model.metadataChanged.connect((_, { key = '', oldValue, newValue }: Change) => {
    isChanged ||= context.isReady && !(ABOUT_KERNEL.has(key) && oldValue?.name === newValue?.name);
    queueMicrotask(() => {
      if (!isChanged && !model.isDisposed) {
        model.dirty = false;
      }
    });
  });
}
