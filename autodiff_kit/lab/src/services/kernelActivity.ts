import type { Kernel, KernelMessage } from '@jupyterlab/services';

/** Statuses after which a kernel answers nothing that it was asked before, and nothing that it held is left. */
const ENDED: Kernel.Status[] = ['restarting', 'autorestarting', 'dead', 'terminating'];

export const hasEnded = (kernel: Pick<Kernel.IKernelConnection, 'status'>): boolean => ENDED.includes(kernel.status);

/** Ended for good: such a kernel cannot be restarted. */
export const isDead = (kernel: Kernel.IKernelConnection): boolean => kernel.status === 'dead' || kernel.status === 'terminating';

type StatusMessage = KernelMessage.IStatusMsg & { parent_header: Partial<KernelMessage.IHeader> };

/**
 * Whether a kernel runs a cell. JupyterLab's `kernel.status` does not tell: it follows each status message, whatever
 * that answers (jupyterlab/jupyterlab#10701). A message that is answered beside the main shell, on a subshell or on the
 * control channel, ends with an idle of its own, and then a cell that runs counts as idle until it ends. Here only
 * requests to execute count, from the moment at which they are sent.
 */
export class KernelActivity {
  private static readonly known = new WeakMap<Kernel.IKernelConnection, KernelActivity>();
  /** Called when a cell begins, when one ends, and at each change of the kernel's status. */
  readonly listeners = new Set<() => void>();
  private readonly unfinished = new Set<string>();
  private hasSeenCell = false;
  /** Cells that ended while somebody listened; a kernel that ends counts as one. */
  cellsEnded = 0;

  private constructor(private readonly kernel: Kernel.IKernelConnection) {
    kernel.anyMessage.connect((_, { msg, direction }) => {
      if (direction === 'send' && msg.header.msg_type === 'execute_request') {
        this.begin(msg.header.msg_id);
      }
    });
    kernel.iopubMessage.connect((_, message) => this.receive(message));
    kernel.statusChanged.connect(() => {
      if (hasEnded(kernel)) {
        this.cellsEnded++;
        this.forget();
      }
      this.notify();
    });
    // What ended while the connection was lost may never be told.
    kernel.connectionStatusChanged.connect((_, status) => status !== 'connected' && this.forget());
  }

  /** The one that follows a kernel; it follows from the first call on. */
  static of(kernel: Kernel.IKernelConnection): KernelActivity {
    const activity = this.known.get(kernel) ?? new KernelActivity(kernel);
    this.known.set(kernel, activity);
    return activity;
  }

  /** A cell runs, or waits for its turn. Of one that began before anybody listened only JupyterLab's status can tell. */
  get isRunning(): boolean {
    return this.hasSeenCell ? this.unfinished.size > 0 : this.kernel.status === 'busy';
  }

  private receive(message: KernelMessage.IIOPubMessage): void {
    const { header, parent_header: parent, content } = message as StatusMessage;
    if (header.msg_type !== 'status' || parent.msg_type !== 'execute_request') {
      return;
    }
    if (content.execution_state === 'busy') {
      this.begin(parent.msg_id!);
    } else if (content.execution_state === 'idle') {
      this.unfinished.delete(parent.msg_id!);
      this.cellsEnded++;
      this.notify();
    }
  }

  private begin(id: string): void {
    this.hasSeenCell = true;
    this.unfinished.add(id);
    this.notify();
  }

  private forget(): void {
    this.unfinished.clear();
    this.hasSeenCell = false;
  }

  private notify(): void {
    this.listeners.forEach(listener => listener());
  }
}
