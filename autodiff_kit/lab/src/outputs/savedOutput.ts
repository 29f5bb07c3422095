import type { Notebook } from '@jupyterlab/notebook';
import { Panel, Widget } from '@lumino/widgets';
import { button, h, replaceChildren } from '../common/dom';
import { t } from '../common/translation';
import type { KernelState } from './kernelWidgets';
import type { NotebookOutputs } from './notebookOutputs';
import { changesSince, modelOf, restoreState, stateOf, type WidgetState } from './widgetState';

/** Key of an output's metadata that are ours. */
export const METADATA = 'autodiff_kit';
export const WIDGET_VIEW = 'application/vnd.jupyter.widget-view+json';

/** Events after which a widget may stand otherwise. */
const TOUCHES = ['change', 'pointerup', 'keyup'];
const REST = 400; // ms after a touch when the widget is looked at

type Registry = Notebook['rendermime'];
type Renderer = ReturnType<Registry['createRenderer']>;
type MimeModel = Parameters<Renderer['renderModel']>[0];

/** What the bar over a saved picture says of a kernel. */
function lineFor(state: KernelState, wasLive: boolean): string {
  if (state === 'starting') {
    return t('The kernel is starting. This is how it stood when it was saved.');
  }
  if (state === 'disconnected') {
    return t('The connection to the kernel is lost; this goes on when it is back.');
  }
  if (state === 'restarting') {
    return t('The kernel is restarting and has lost this. It is as it last stood.');
  }
  if (state === 'dead') {
    return t('The kernel has ended. This is how it last stood.');
  }
  return wasLive ? t('The kernel no longer has this. It is as it last stood.') : t('This is how it stood when it was saved.');
}

/** An output with a widget: live while the kernel holds its model, else the HTML of how it stood under a bar that brings it back. */
export class SavedOutput extends Panel implements Renderer {
  private readonly bar = new Widget({ node: h('div', { class: 'akl-saved-bar', role: 'status' }) });
  private model: MimeModel | null = null;
  /** The widget's model. */
  modelId = '';
  private live: Renderer | null = null;
  private isDrawing = false;
  private saved: Renderer | null = null;
  private savedHtml = '';
  private wasLive = false;
  private isRunning = false;
  private hasFailed = false;
  private lastStand = '';
  private barSays = '';
  private wasLaidOut = false;
  /** What a reader may change, as it was when the view was first drawn. */
  private firstState: WidgetState = {};
  /** What a reader had chosen when the notebook was saved. */
  savedState: WidgetState | null = null;
  private readonly size = new ResizeObserver(([{ contentRect }]) => (this.wasLaidOut ||= this.view !== null && contentRect.height > 0));
  private readonly drawn = new MutationObserver(() => this.refresh());

  constructor(private readonly outputs: NotebookOutputs, private readonly rendermime: Registry) {
    super();
    this.addClass('akl-saved');
    this.addWidget(this.bar);
    outputs.kernel.changed.connect(this.onKernel, this);
    TOUCHES.forEach(type => this.node.addEventListener(type, event => event.isTrusted && this.onTouch()));
  }

  /** The live view's element; null while there is none. */
  get view(): HTMLElement | null {
    const { live } = this;
    return live && !live.isDisposed && (live as unknown as Panel).widgets.length ? live.node : null;
  }

  /** What a reader chose in the live view; null where that is nothing, or there is no view. */
  get state(): WidgetState | null {
    const model = this.view && modelOf(this.live);
    const changed = model && changesSince(this.firstState, stateOf(model));
    return changed && { ...this.savedState, ...changed };
  }

  /** Whether the live view has been in sight, so that its figure is drawn. */
  get isLaidOut(): boolean {
    return this.wasLaidOut;
  }

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    this.outputs.kernel.changed.disconnect(this.onKernel, this);
    this.outputs.remove(this);
    this.drawn.disconnect();
    this.size.disconnect();
    super.dispose();
  }

  async renderModel(model: MimeModel): Promise<void> {
    const { model_id } = model.data[WIDGET_VIEW] as unknown as { model_id: string };
    if (model_id !== this.modelId) {
      this.outputs.remove(this);
      this.drawn.disconnect();
      this.size.disconnect();
      this.live?.dispose();
      this.live = null;
      this.wasLive = this.wasLaidOut = this.hasFailed = false;
    }
    this.model = model;
    this.modelId = model_id;
    this.savedState = (model.metadata[METADATA] as { state?: WidgetState } | undefined)?.state ?? null;
    this.outputs.add(this);
    await this.refresh();
  }

  private async onKernel(): Promise<void> {
    if (this.wasLive && !this.outputs.kernel.has(this.modelId)) {
      this.outputs.keep(this.modelId); // the widget manager removes its views in a moment
    }
    await this.refresh();
  }

  /** Draw what is there: the live view, or the saved HTML under the bar. */
  private async refresh(): Promise<void> {
    const { kernel } = this.outputs;
    const held = kernel.has(this.modelId);
    if (held && !this.live && this.model?.trusted) {
      await this.startLive();
    }
    if (this.isDisposed || !this.model) {
      return;
    }
    const { view } = this;
    const state = kernel.state;
    const rests = !held || state === 'disconnected';
    this.wasLive ||= view !== null;
    this.live?.setHidden?.(!view && !this.isDrawing);
    if (this.live) {
      this.live.node.inert = rests;
      this.live.node.classList.toggle('akl-rests', rests);
    }
    this.showSaved(!view && !this.isDrawing);
    this.showBar(rests || (!view && !this.isDrawing) ? state : null);
  }

  private async startLive(): Promise<void> {
    const live = (this.live = this.rendermime.createRenderer(WIDGET_VIEW));
    this.addWidget(live);
    this.isDrawing = true;
    try {
      await live.renderModel(this.model!);
    } finally {
      if (this.live === live) {
        this.isDrawing = false;
      }
    }
    if (!this.isDisposed) {
      this.startState();
      this.drawn.observe(live.node, { childList: true });
      this.size.observe(live.node);
      this.lastStand = this.view?.innerHTML ?? '';
    }
  }

  /** Note how the widget stands at first, and put it where a reader left the one before it. */
  private startState(): void {
    const model = this.view && modelOf(this.live);
    const wanted = this.outputs.takeState(this);
    this.firstState = model ? stateOf(model) : {};
    if (model && wanted) {
      restoreState(model, wanted);
    }
  }

  private showSaved(shown: boolean): void {
    const html = shown ? (this.outputs.htmlOf(this.modelId) ?? [this.model!.data['text/html']].flat().join('')) : '';
    if (html === this.savedHtml) {
      return;
    }
    this.savedHtml = html;
    this.saved?.dispose();
    this.saved = null;
    if (html) {
      this.saved = this.rendermime.createRenderer('text/html');
      this.addWidget(this.saved);
      void this.saved.renderModel({ trusted: this.model!.trusted, data: { 'text/html': html }, metadata: {}, setData: () => undefined });
    }
  }

  private showBar(state: KernelState | null): void {
    this.bar.setHidden(state === null);
    if (state === null) {
      return;
    }
    const canRun = state !== 'starting' && state !== 'disconnected';
    const line = this.isRunning ? t('The cells that it needs are running.') : this.hasFailed ? t('A cell above stopped with an error, so this could not be brought back.') : lineFor(state, this.wasLive);
    const says = [line, canRun, this.isRunning].join();
    if (says === this.barSays) {
      return; // the button keeps the focus, and a screen reader its rest
    }
    this.barSays = says;
    replaceChildren(this.bar.node, h('p', null, line), canRun && button(t('Run to bring it back'), {
      act: () => void this.run(), disabled: this.isRunning,
      title: t('Runs each code cell above that has not run in this kernel, then this one')
    }));
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    this.hasFailed = false;
    await this.refresh();
    let done = false;
    try {
      done = await this.outputs.bringBack(this.modelId);
    } finally {
      this.isRunning = false;
      this.hasFailed = !done;
      await this.refresh();
    }
  }

  private onTouch(): void {
    window.setTimeout(() => {
      const stands = this.view?.innerHTML ?? this.lastStand;
      if (stands !== this.lastStand) {
        this.lastStand = stands;
        this.outputs.markChanged();
      }
    }, REST);
  }
}
