import type { ISessionContextDialogs } from '@jupyterlab/apputils';
import { NotebookActions, type NotebookPanel } from '@jupyterlab/notebook';
import type { Widget } from '@lumino/widgets';
import { KernelWidgets } from './kernelWidgets';
import { SavedOutput, WIDGET_VIEW } from './savedOutput';
import { snapshot } from './snapshot';

/** Type under which the notebook renders a widget that has HTML beside its view. It is never stored. */
const SAVED_WIDGET = 'application/vnd.autodiff-kit.saved-widget+json';
/** Better than that of any other renderer; only what `preferredMimeType` names is rendered by it. */
const RANK = -20;

interface SavedCell {
  outputs?: { data?: Record<string, unknown> }[];
}

/** A notebook as it is saved: outputs whose widget stands otherwise than when its cell ran get that HTML. */
export function withSnapshots<N>(notebook: N, htmlOf: (model: string) => string | null): N {
  const { cells = [] } = notebook as { cells?: SavedCell[] };
  for (const { data } of cells.flatMap(cell => cell.outputs ?? [])) {
    const view = data?.[WIDGET_VIEW] as { model_id?: string } | undefined;
    const html = data && 'text/html' in data && view?.model_id ? htmlOf(view.model_id) : null;
    if (data && html) {
      data['text/html'] = html;
    }
  }
  return notebook;
}

/** The widgets of one notebook: drawn live while the kernel holds them, as they last stood where it does not. */
export class NotebookOutputs {
  readonly kernel: KernelWidgets;
  /** All that are shown; a widget may stand in several places. */
  private readonly shown = new Set<SavedOutput>();
  /** HTML of widgets that are not drawn any more, as they last stood. */
  private readonly kept = new Map<string, string>();

  constructor(private readonly panel: NotebookPanel, private readonly dialogs: ISessionContextDialogs) {
    this.kernel = new KernelWidgets(panel);
    this.renderSaved();
    this.saveSnapshots();
  }

  /** Let the notebook render widgets that have HTML beside their view with `SavedOutput`, and all others as before. */
  private renderSaved(): void {
    const { rendermime } = this.panel.content;
    const preferred = rendermime.preferredMimeType.bind(rendermime);
    rendermime.addFactory({ safe: true, mimeTypes: [SAVED_WIDGET], createRenderer: () => new SavedOutput(this, rendermime) }, RANK);
    rendermime.preferredMimeType = (bundle, safe) => {
      const isSaved = WIDGET_VIEW in bundle && 'text/html' in bundle && rendermime.mimeTypes.includes(WIDGET_VIEW);
      return isSaved ? SAVED_WIDGET : preferred(bundle, safe);
    };
  }

  /** What is written to the file says how the widgets stand now; the open notebook and its dirty state stay as they are. */
  private saveSnapshots(): void {
    const { model } = this.panel.context;
    const toJSON = model.toJSON.bind(model);
    model.toJSON = () => withSnapshots(toJSON(), id => this.htmlOf(id));
  }

  /** How a widget stands, or last stood; null where the stored output says it. */
  htmlOf(model: string): string | null {
    const views = this.outputsOf(model).map(output => output.view && snapshot(output.view, output.isLaidOut));
    return views.find(Boolean) ?? this.kept.get(model) ?? null;
  }

  private outputsOf(model: string): SavedOutput[] {
    return [...this.shown].filter(output => output.modelId === model);
  }

  /** Keep how a widget stands, before its view goes. */
  keep(model: string): void {
    const html = this.htmlOf(model);
    if (html) {
      this.kept.set(model, html);
    }
  }

  add(output: SavedOutput): void {
    this.shown.add(output);
  }

  remove(output: SavedOutput): void {
    if (this.shown.has(output)) {
      this.keep(output.modelId);
      this.shown.delete(output);
    }
  }

  /** A reader changed a widget, so that it stands otherwise than in the file. */
  markChanged(): void {
    this.panel.context.model.dirty = true;
  }

  /** Run the code cells above that have not run in this kernel, and then the cell of an output; whether all went well. */
  async bringBack(model: string): Promise<boolean> {
    const { content, sessionContext } = this.panel;
    const places: Widget[] = this.outputsOf(model); // one may be a view of its own beside the notebook
    const at = content.widgets.findIndex(cell => places.some(output => cell.contains(output)));
    if (at < 0) {
      return false;
    }
    const needed = content.widgets.slice(0, at + 1).filter((cell, i) => cell.model.type === 'code' && (i === at || !this.kernel.hasRun(cell.model.id)));
    if (this.kernel.state === 'dead') {
      await sessionContext.shutdown(); // a dead kernel cannot be restarted; the next line starts another
    }
    if (!sessionContext.session?.kernel && (await sessionContext.startKernel())) {
      await this.dialogs.selectKernel(sessionContext);
    }
    if (!sessionContext.session?.kernel) {
      return false; // without one Jupyter would clear the outputs
    }
    content.activeCellIndex = at;
    return NotebookActions.runCells(content, needed, sessionContext, this.dialogs);
  }
}
