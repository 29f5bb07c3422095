import { PageConfig, URLExt } from '@jupyterlab/coreutils';
import type { Contents, Kernel } from '@jupyterlab/services';
import { blobOf, download } from '../common/download';
import { t } from '../common/translation';
import { hasEnded } from './kernelActivity';
import { NO_RESPONSE, ServerError, type OpenedNotebook, type Progress, type Submission, type Syllabus, type Transport } from './serverClient';

/** On a static site no server knows the lessons: the syllabus is a file of the site, the rest is the notebook's kernel's. */

const COMM_TARGET = 'autodiff_kit:panels';
const LAST_PROGRESS = 'autodiff-kit:last-progress'; // what the panels show until a kernel runs

/** Where the site keeps its syllabus; empty where there is a server. */
export const siteSyllabus = (): string => PageConfig.getOption('autodiffKitSyllabus');

interface Reply {
  id: number;
  status: number;
  body: unknown;
}

interface ErrorBody {
  error: { code: string; text: string; do: string };
}

export class KernelTransport implements Transport {
  readonly checksInKernel = true;
  private syllabus: Promise<Syllabus> | null = null;
  /** The open comm of each kernel: those of two notebooks stand side by side. */
  private readonly comms = new Map<Kernel.IKernelConnection, Kernel.IComm>();
  private lastId = 0;
  private readonly pending = new Map<number, { comm: Kernel.IComm; resolve: (reply: Reply) => void }>();

  constructor(private readonly kernel: () => Kernel.IKernelConnection | null, private readonly contents: Contents.IManager) {}

  async request<T>(method: string, path: string, body?: unknown): Promise<T> {
    return (await this.route(method, path, body as Record<string, string>)) as T;
  }

  async file(path: string): Promise<Blob> {
    const { text, media } = await this.ask<{ text: string; media: string }>('GET', path);
    return new Blob([text], { type: media });
  }

  private route(method: string, path: string, body?: Record<string, string>): Promise<unknown> {
    const opened = /^lessons\/(\d+)\/open$/.exec(path);
    if (method === 'GET' && path === 'syllabus') {
      return this.wholeSyllabus();
    }
    if (method === 'GET' && /^progress(\?|$)/.test(path)) {
      return this.progress(path);
    }
    return opened ? this.open(opened[1], body?.what ?? 'lesson') : path === 'handin' ? this.handIn(body!) : this.ask(method, path, body);
  }

  private async wholeSyllabus(): Promise<Syllabus> {
    this.syllabus ??= fetch(URLExt.join(PageConfig.getBaseUrl(), siteSyllabus())).then(answer => answer.json() as Promise<Syllabus>);
    const all = await this.syllabus.catch(() => {
      this.syllabus = null; // so that it can be fetched again
      throw new ServerError(NO_RESPONSE, 'lost', t('The server does not answer.'));
    });
    const known = await this.progress('progress').catch(() => null);
    return { ...all, progress: known ?? lastProgress() ?? all.progress };
  }

  private async progress(path: string): Promise<Progress | null> {
    if (!this.connection()) {
      return null; // nothing has written progress since the last kernel
    }
    const found = await this.ask<Progress | null>('GET', path);
    if (found) {
      keepProgress(found);
    }
    return found;
  }

  /** The notebooks are the site's own contents, and a copy that was changed is the browser's: nothing needs to be made. */
  private async open(no: string, what: string): Promise<OpenedNotebook> {
    const lesson = (await this.wholeSyllabus()).lessons.find(one => one.no === no);
    const path = what === 'exercise' ? lesson?.exercise : lesson?.notebook;
    if (!path) {
      throw new ServerError(404, 'no_lesson', t('The server answered %1.', 404));
    }
    return { path, cell: null };
  }

  /** The kernel packs notebook and receipt; the learner gets the file, to send it to whoever grades. */
  private async handIn(body: Record<string, string>): Promise<Submission> {
    const made = await this.ask<Submission & { path: string }>('POST', 'handin', body);
    const file = await this.contents.get(made.path, { type: 'file', format: 'base64' });
    download(blobOf(file.content as string, 'application/zip'), made.path.split('/').pop()!);
    return made;
  }

  private async ask<T>(method: string, path: string, body?: unknown): Promise<T> {
    const comm = this.connection();
    if (!comm) {
      throw new ServerError(409, 'no_kernel', t('No kernel runs for this notebook. Run a cell first.'));
    }
    const id = ++this.lastId;
    const answered = new Promise<Reply>(resolve => this.pending.set(id, { comm, resolve }));
    comm.send({ id, method, path, body: (body ?? null) as never });
    const reply = await answered;
    if (reply.status >= 400) {
      const { error } = reply.body as ErrorBody;
      throw new ServerError(reply.status, error.code, error.text, error.do);
    }
    return reply.body as T;
  }

  /** The comm to the kernel of the notebook in front; a new one for each kernel, and none where the kit is not loaded. */
  private connection(): Kernel.IComm | null {
    const kernel = this.kernel();
    if (!kernel) {
      return null;
    }
    const open = this.comms.get(kernel);
    return open && !open.isDisposed && kernel.hasComm(open.commId) ? open : this.connect(kernel);
  }

  private connect(kernel: Kernel.IKernelConnection): Kernel.IComm {
    const comm = kernel.createComm(COMM_TARGET);
    const end = (): void => {
      if (this.comms.get(kernel) === comm) {
        this.comms.delete(kernel);
      }
      this.refuse(comm);
    };
    comm.onMsg = message => this.receive(message.content.data as unknown as Reply);
    comm.onClose = end;
    kernel.disposed.connect(end); // its notebook was closed
    kernel.statusChanged.connect(() => {
      if (hasEnded(kernel)) {
        comm.dispose();
        end();
      }
    });
    comm.open();
    this.comms.set(kernel, comm);
    return comm;
  }

  private receive(reply: Reply): void {
    this.pending.get(reply.id)?.resolve(reply);
    this.pending.delete(reply.id);
  }

  /** What was asked over a comm that has closed gets no other answer. */
  private refuse(comm: Kernel.IComm): void {
    const body: ErrorBody = { error: { code: 'no_kernel', text: t('No kernel runs for this notebook. Run a cell first.'), do: '' } };
    [...this.pending].filter(([, asked]) => asked.comm === comm).forEach(([id]) => this.receive({ id, status: 409, body }));
  }
}

/** The progress that this browser saw last; null where there is none, or where another version of the site wrote it. */
function lastProgress(): Progress | null {
  try {
    const saved = JSON.parse(localStorage.getItem(LAST_PROGRESS) ?? 'null') as Progress | null;
    return saved?.lessons && saved.totals && saved.next && saved.notices ? saved : null;
  } catch {
    return null;
  }
}

function keepProgress(progress: Progress): void {
  try {
    localStorage.setItem(LAST_PROGRESS, JSON.stringify(progress));
  } catch {
    // No room in the browser: the panels have it all the same.
  }
}
