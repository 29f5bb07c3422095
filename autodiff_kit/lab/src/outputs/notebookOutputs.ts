import type { ISessionContextDialogs } from '@jupyterlab/apputils';
import { NotebookActions, type NotebookPanel } from '@jupyterlab/notebook';
import type { Widget } from '@lumino/widgets';
import type { CellRuns } from '../services/cellRuns';
import { ensureKernel } from '../services/kernelStart';
import { KernelWidgets } from './kernelWidgets';
import { METADATA, SavedOutput, WIDGET_VIEW } from './savedOutput';
import { snapshot } from './snapshot';
import type { WidgetState } from './widgetState';

/** Type under which the notebook renders a widget that has HTML beside its view. It is never stored. */
const SAVED_WIDGET = 'application/vnd.autodiff-kit.saved-widget+json';
/** Better than that of any other renderer; only what `preferredMimeType` names is rendered by it. */
const RANK = -20;

interface SavedCell {
  outputs?: { data?: Record<string, unknown>; metadata?: Record<string, unknown> }[];
}

/** How a widget stands: as HTML, and what a reader chose in it; null where that is as when its cell ran. */
export interface Stand {
  html: string | null;
  state: WidgetState | null;
}

/** A notebook as it is saved: outputs whose widget stands otherwise than when its cell ran say how. */
export function withSnapshots<N>(notebook: N, standOf: (model: string) => Stand): N {
  const { cells = [] } = notebook as { cells?: SavedCell[] };
  for (const output of cells.flatMap(cell => cell.outputs ?? [])) {
    const { data } = output;
    const view = data?.[WIDGET_VIEW] as { model_id?: string } | undefined;
    const { html, state } = data && 'text/html' in data && view?.model_id ? standOf(view.model_id) : { html: null, state: null };
    if (html) {
      data!['text/html'] = html;
    }
    if (state) {
      output.metadata = { ...output.metadata, [METADATA]: { state } };
    }
  }
  return notebook;
}

/** The widgets of one notebook: drawn live while the kernel holds them, as they last stood where it does not. */
export class NotebookOutputs {
  readonly kernel: KernelWidgets;
  /** All that are shown; a widget may stand in several places. */
  private readonly shown = new Set<SavedOutput>();
  /** Widgets that are not drawn any more, as they last stood. */
  private readonly kept = new Map<string, Stand>();
  /** By cell: what a reader had chosen in the widgets that its run brings back, in their order. */
  private readonly toRestore = new Map<string, (WidgetState | null)[]>();

  constructor(private readonly panel: NotebookPanel, private readonly runs: CellRuns, private readonly dialogs: ISessionContextDialogs) {
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
    model.toJSON = () => withSnapshots(toJSON(), id => ({ html: this.htmlOf(id), state: this.stateOf(id) }));
  }

  /** How a widget stands, or last stood; null where the stored output says it. */
  htmlOf(model: string): string | null {
    const views = this.outputsOf(model).map(output => output.view && snapshot(output.view, output.isLaidOut));
    return views.find(Boolean) ?? this.kept.get(model)?.html ?? null;
  }

  /** What a reader chose, or had chosen, in a widget; null where that is nothing. */
  private stateOf(model: string): WidgetState | null {
    const outputs = this.outputsOf(model);
    return outputs.map(output => output.state).find(Boolean) ?? this.kept.get(model)?.state ?? outputs.map(output => output.savedState).find(Boolean) ?? null;
  }

  /** What a reader had chosen in the widget in whose place this one is drawn. */
  takeState(output: SavedOutput): WidgetState | null {
    const cell = this.panel.content.widgets.find(one => one.contains(output));
    return this.toRestore.get(cell?.model.id ?? '')?.shift() ?? null;
  }

  private outputsOf(model: string): SavedOutput[] {
    return [...this.shown].filter(output => output.modelId === model);
  }

  /** Keep how a widget stands, before its view goes. */
  keep(model: string): void {
    const stand = { html: this.htmlOf(model), state: this.stateOf(model) };
    if (stand.html || stand.state) {
      this.kept.set(model, stand);
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

  /** Run the code cells above that have not run in this kernel, and then the cell of an output, and put their widgets where they stood; whether all went well. */
  async bringBack(model: string): Promise<boolean> {
    const { content, sessionContext } = this.panel;
    const places: Widget[] = this.outputsOf(model); // one may be a view of its own beside the notebook
    const at = content.widgets.findIndex(cell => places.some(output => cell.contains(output)));
    if (at < 0) {
      return false;
    }
    if (!(await ensureKernel(sessionContext, this.dialogs))) {
      return false; // without one Jupyter would clear the outputs
    }
    content.activeCellIndex = at;
    const cell = content.widgets[at];
    const above = this.runs.missingAbove(cell);
    for (const one of [...above, cell]) {
      this.toRestore.set(one.model.id, [...this.shown].filter(output => one.contains(output)).map(output => this.stateOf(output.modelId)));
    }
    void this.runs.sendAbove(cell);
    return NotebookActions.runCells(content, [cell], sessionContext, this.dialogs);
  }
}
