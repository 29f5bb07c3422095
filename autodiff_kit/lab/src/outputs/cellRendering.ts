import type { NotebookPanel } from '@jupyterlab/notebook';

/** Modes in which JupyterLab draws the cells of a notebook one after the other, whenever the browser is idle. */
const DRAWN_WHEN_IDLE = ['defer', 'contentVisibility'];

/**
 * Draws the cells of a lesson or exercise soon after it was opened. A page with a moving figure, on a busy machine, is
 * idle for moments only: whoever ran all cells then waited half a minute for the last of them, and JupyterLab, which
 * scrolls to it, gave up.
 */
export async function drawCellsSoon(panel: NotebookPanel): Promise<void> {
  const { content } = panel;
  await panel.revealed;
  if (!panel.model?.getMetadata('autodiff_kit')) {
    return;
  }
  while (!content.isDisposed && DRAWN_WHEN_IDLE.includes(content.notebookConfig.windowingMode) && content.widgets.some(cell => cell.isPlaceholder())) {
    content.update(); // a few cells; the page can answer before the next
    await new Promise(rest => setTimeout(rest));
  }
}
