import type { NotebookPanel } from '@jupyterlab/notebook';

/** What JupyterLab writes about a kernel into a notebook that is merely opened. */
const ABOUT_KERNEL = new Set(['language_info', 'kernelspec']);

interface Change {
  key?: string;
  oldValue?: { name?: string };
  newValue?: { name?: string };
}

/** A notebook that had nothing to save has nothing to save either once JupyterLab added the versions of its kernel. */
export function stayCleanWhenOpened({ context: { model } }: NotebookPanel): void {
  model.metadataChanged.connect((_, { key = '', oldValue, newValue }: Change) => {
    if (!model.dirty && ABOUT_KERNEL.has(key) && oldValue?.name === newValue?.name) {
      queueMicrotask(() => {
        if (!model.isDisposed) {
          model.dirty = false; // it is set after this signal
        }
      });
    }
  });
}
