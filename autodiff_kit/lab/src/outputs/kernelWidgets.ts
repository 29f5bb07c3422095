import type { NotebookPanel } from '@jupyterlab/notebook';
import type { Kernel, KernelMessage } from '@jupyterlab/services';
import { Signal } from '@lumino/signaling';
import { hasEnded, isDead } from '../services/kernelActivity';

/** Comm target of Jupyter's widgets. */
const TARGET = 'jupyter.widget';
/** How long a reply may come after the kernel has said that it is done with the question: they take different channels. */
const LATE = 1000; // ms

export type KernelState = 'none' | 'starting' | 'ready' | 'disconnected' | 'restarting' | 'dead';

/**
 * The models of widgets that a notebook's kernel holds. They are known from the messages that pass by; a question would
 * wait behind the cells that are to run.
 */
export class KernelWidgets {
  /** A model came or went, or the kernel is in another state. */
  readonly changed = new Signal<this, void>(this);
  private readonly models = new Set<string>();
  private asked: Kernel.IKernelConnection | null = null;
  private known = false;

  constructor(private readonly panel: NotebookPanel) {
    const { sessionContext } = panel;
    sessionContext.kernelChanged.connect(this.onKernel, this);
    sessionContext.statusChanged.connect(this.onStatus, this);
    sessionContext.connectionStatusChanged.connect(() => this.changed.emit());
    sessionContext.iopubMessage.connect((_, message) => {
      this.onMessage(message.header.msg_type, message.content as { comm_id: string; target_name?: string });
      this.onDone(message as KernelMessage.IStatusMsg);
    });
    panel.disposed.connect(() => Signal.clearData(this));
    void sessionContext.ready.then(() => {
      this.onKernel();
      this.changed.emit();
    });
  }

  get state(): KernelState {
    const { sessionContext } = this.panel;
    const kernel = sessionContext.session?.kernel;
    if (!kernel) {
      return /starting|initializing|connecting/.test(sessionContext.kernelDisplayStatus) ? 'starting' : 'none';
    }
    if (isDead(kernel)) {
      return 'dead';
    }
    if (hasEnded(kernel)) {
      return 'restarting';
    }
    if (kernel.connectionStatus !== 'connected' && this.models.size > 0) {
      return 'disconnected';
    }
    return this.known ? 'ready' : 'starting';
  }

  /** Whether the kernel holds a widget's model. */
  has(model: string): boolean {
    return this.models.has(model);
  }

  private onKernel(): void {
    const kernel = this.panel.sessionContext.session?.kernel ?? null;
    if (kernel === this.asked) {
      return;
    }
    this.asked = kernel;
    this.known = false;
    this.models.clear();
    this.changed.emit();
    if (kernel) {
      void this.askFor(kernel);
    }
  }

  /** Models that the kernel held before this page listened. */
  private async askFor(kernel: Kernel.IKernelConnection): Promise<void> {
    try {
      const { content } = await kernel.requestCommInfo({ target_name: TARGET });
      if (kernel === this.asked && content.status === 'ok') {
        Object.keys(content.comms).forEach(id => this.models.add(id));
      }
    } catch {
      // It ended before it answered, so it holds none of them.
    }
    this.setKnown(kernel);
  }

  /** JupyterLite's kernels say that they are done with the question, and give no reply: then it holds what was heard of. */
  private onDone({ content, parent_header }: KernelMessage.IStatusMsg): void {
    const kernel = this.asked;
    if (!this.known && content.execution_state === 'idle' && (parent_header as KernelMessage.IHeader).msg_type === 'comm_info_request') {
      window.setTimeout(() => this.setKnown(kernel), LATE);
    }
  }

  private setKnown(kernel: Kernel.IKernelConnection | null): void {
    if (kernel === this.asked && !this.known) {
      this.known = true;
      this.changed.emit();
    }
  }

  private onStatus(_: unknown, status: Kernel.Status): void {
    if (hasEnded({ status })) {
      this.models.clear();
      this.known = true;
      this.changed.emit();
    } else if (status === 'unknown') {
      this.changed.emit();
    }
  }

  private onMessage(type: string, content: { comm_id: string; target_name?: string }): void {
    if (type === 'comm_open' && content.target_name === TARGET) {
      this.models.add(content.comm_id);
    } else if (type === 'comm_close' && this.models.delete(content.comm_id)) {
      this.changed.emit();
    }
  }
}
