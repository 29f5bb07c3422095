import { URLExt } from '@jupyterlab/coreutils';
import { ServerConnection } from '@jupyterlab/services';
import { OfflineQueue } from './offlineQueue';
import { t } from '../common/translation';

/** The server extension's routes under `autodiff-kit/`. */

/** What a lesson builds on; the number of a lesson where it names one. */
export interface Need {
  lesson: string | null;
  text: string;
}

export interface Lesson {
  no: string;
  title: string;
  goal: string;
  minutes: number | null;
  needs: Need[];
  keywords: string[];
  points: number;
  notebook: string | null;
  exercise: string | null;
  coming: boolean;
}

export interface Notice {
  code: string;
  text: string;
  do: string;
}

export interface NextStep {
  lesson: string | null;
  kind: '' | 'start' | 'predict' | 'run' | 'finish' | 'exercise' | 'finished';
  cell: string | null;
  path: string | null;
  /** What it is about, in the lesson's own words. */
  heading: string;
  minutes: number | null;
}

/** Read: every result was shown; done: read, every prompt predicted, every question solved. */
export type LessonState = 'none' | 'begun' | 'read' | 'done';

export interface LessonProgress {
  state: LessonState;
  read: number;
  predicted: number;
  /** Of those predicted: the result was shown, and the prediction is right or wrong. */
  judged: number;
  right: number;
  prompts: number;
  solved: number;
  questions: number;
  score: number;
  max: number;
  at: string | null;
}

export interface Progress {
  rev: number;
  lessons: Record<string, LessonProgress>;
  totals: Record<'read' | 'done' | 'lessons' | 'predicted' | 'prompts' | 'solved' | 'questions' | 'score' | 'max', number>;
  next: NextStep;
  notices: Notice[];
}

export interface Syllabus {
  v: number;
  folder: string;
  parts: { no: string; title: string }[];
  lessons: Lesson[];
  progress: Progress;
}

export type QuestionState = 'not tried' | 'not yet' | 'partial' | 'passed' | 'error';

export interface Question {
  id: string;
  label: string;
  title: string;
  points: number;
  state: QuestionState;
  score: number;
  tries: number;
  hints: number;
  hints_seen: number;
  hint_texts: string[];
  hint_cost: number;
  solution_seen: boolean;
  solution_open: boolean;
  solution: string | null;
  message: string | null;
  tests: { name: string; right: number; of: number }[];
  cell: string | null;
}

export interface Submission {
  receipt: string;
  /** The file that holds the notebook, in the learner's folder. */
  path: string;
  score: number;
  max: number;
  at: string;
}

export interface Exercises {
  path: string;
  /** In which kernels speak, and so the messages of checks. */
  language: string;
  no: string;
  title: string;
  exercise: string | null;
  score: number;
  max: number;
  questions: Question[];
  handed: Submission[];
}

export interface Backup {
  id: string;
  at: string;
  scope: string;
  lessons: number;
  bytes: number;
}

/** The data are in base64. */
export interface ProgressFile {
  name: string;
  data: string;
}

export interface OpenedNotebook {
  path: string;
  cell: string | null;
}

/** An error reply of the server, with advice on what to do. */
export class ServerError extends Error {
  constructor(readonly status: number, readonly code: string, text: string, readonly advice = '') {
    super(text);
  }
}

/** The status where the server does not answer at all. */
export const NO_RESPONSE = 0;

/** How requests reach whatever knows the learner's folder. */
export interface Transport {
  request<T>(method: string, path: string, body?: unknown): Promise<T>;
  /** A file to save. */
  file(path: string): Promise<Blob>;
  /** Checks run as requests, because the kernel evaluates no expressions beside a cell. */
  readonly checksInKernel?: boolean;
}

/** Jupyter's server, with its login and XSRF token. */
export class HttpTransport implements Transport {
  constructor(private readonly settings = ServerConnection.makeSettings()) {}

  private async answer(path: string, init: RequestInit): Promise<Response> {
    const url = URLExt.join(this.settings.baseUrl, 'autodiff-kit', path);
    const response = await ServerConnection.makeRequest(url, init, this.settings).catch(() => {
      throw new ServerError(NO_RESPONSE, 'lost', t('The server does not answer.'));
    });
    if (!response.ok && response.status !== 304) {
      throw errorFromResponse(response.status, await response.text());
    }
    return response;
  }

  async request<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await this.answer(path, { method, ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }) });
    if (response.status === 304 || response.status === 204) {
      return null as T;
    }
    // A proxy's page of login comes as a good answer, too.
    return response.json().catch(() => Promise.reject(new ServerError(response.status, 'not_json', t('The server sent no data that can be read.'), t('Reload the page.')))) as Promise<T>;
  }

  async file(path: string): Promise<Blob> {
    return (await this.answer(path, {})).blob();
  }
}

export class ServerClient {
  /** Changes that wait until the server takes them. */
  readonly queue = new OfflineQueue(one => this.request(one.method, one.path, one.body), window.localStorage);

  constructor(private readonly transport: Transport = new HttpTransport()) {}

  request<T>(method: string, path: string, body?: unknown): Promise<T> {
    return this.transport.request(method, path, body);
  }

  get checksInKernel(): boolean {
    return this.transport.checksInKernel ?? false;
  }

  syllabus = (): Promise<Syllabus> => this.request('GET', 'syllabus');
  progress = (since: number): Promise<Progress | null> => this.request('GET', `progress?since=${since}`);
  openNotebook = (no: string, what: 'lesson' | 'exercise'): Promise<OpenedNotebook> => this.request('POST', `lessons/${encodeURIComponent(no)}/open`, { what });
  exercises = (path: string): Promise<Exercises> => this.request('GET', `exercises?path=${encodeURIComponent(path)}`);
  /** Null where it waits for the server. */
  markSeen = (question: string, what: { hint_seen: number } | { solution_seen: true }): Promise<{ rev: number; question: Question } | null> =>
    this.queue.sendOrKeep({ method: 'PATCH', path: `exercises/${encodeURIComponent(question)}`, body: what });
  /** A lesson was opened; one that is further stays so. */
  markBegun = (no: string): Promise<unknown> => this.queue.sendOrKeep({ method: 'PATCH', path: `progress/${encodeURIComponent(no)}`, body: { rev: 0, state: 'begun' } });
  handIn = (path: string, sha256: string): Promise<Submission> => this.request('POST', 'handin', { path, sha256 });
  reset = (scope: string, notebooks: boolean): Promise<{ backup: Backup; progress: Progress }> => this.request('POST', 'progress/reset', { scope, notebooks });
  backups = async (): Promise<Backup[]> => (await this.request<{ backups: Backup[] }>('GET', 'backups')).backups;
  restore = (id: string): Promise<{ progress: Progress }> => this.request('POST', `backups/${encodeURIComponent(id)}/restore`, {});

  /** Run a question's check where the kernel cannot be asked beside a cell. */
  check = (label: string): Promise<{ outcome: string }> => this.request('POST', 'check', { label });
  /** All progress as a file, and added from one: where it lies in a browser alone. */
  saveProgress = (): Promise<ProgressFile> => this.request('GET', 'progress/file');
  addProgress = (data: string): Promise<Progress> => this.request('POST', 'progress/file', { data });
  /** A file for the teacher. */
  export = (format: 'json' | 'csv'): Promise<Blob> => this.transport.file(`export?format=${format}`);
}

function errorFromResponse(status: number, text: string): ServerError {
  let told: { code?: string; text?: string; do?: string } = {};
  try {
    told = (JSON.parse(text) as { error?: typeof told }).error ?? {};
  } catch {
    // An answer that is not ours: a proxy's page, or a server without the extension.
  }
  return new ServerError(status, told.code ?? String(status), told.text ?? t('The server answered %1.', status), told.do ?? '');
}
