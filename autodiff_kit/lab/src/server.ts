import { URLExt } from '@jupyterlab/coreutils';
import { ServerConnection } from '@jupyterlab/services';
import { Queue } from './queue';
import { t } from './text';

/** The server extension's routes under `autodiff-kit/`; Jupyter's own login and XSRF go with every request. */

export interface Lesson {
  no: string;
  title: string;
  goal: string;
  minutes: number | null;
  needs: string[];
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

export interface Next {
  lesson: string | null;
  kind: string;
  cell: string | null;
  path: string | null;
  text: string;
  minutes: number | null;
}

export type LessonState = 'none' | 'begun' | 'predicted' | 'done';

export interface Standing {
  state: LessonState;
  predicted: number | null;
  right: number | null;
  prompts: number | null;
  score: number;
  max: number;
  at: string | null;
}

export interface Progress {
  rev: number;
  lessons: Record<string, Standing>;
  totals: { done: number; lessons: number; score: number; max: number };
  next: Next;
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

export interface Handed {
  receipt: string;
  score: number;
  max: number;
  at: string;
}

export interface Exercises {
  path: string;
  no: string;
  title: string;
  exercise: string | null;
  score: number;
  max: number;
  questions: Question[];
  handed: Handed[];
}

export interface Backup {
  id: string;
  at: string;
  scope: string;
  lessons: number;
  bytes: number;
}

export interface Opened {
  path: string;
  cell: string | null;
}

/** What the server said instead of an answer. */
export class ServerRefusal extends Error {
  constructor(readonly status: number, readonly code: string, text: string, readonly todo = '') {
    super(text);
  }
}

/** 0: the server does not answer at all. */
export const LOST = 0;

export class Server {
  /** Changes that wait until the server takes them. */
  readonly queue = new Queue(one => this.ask(one.method, one.path, one.body), window.localStorage);

  constructor(private readonly settings = ServerConnection.makeSettings()) {}

  async ask<T>(method: string, path: string, body?: unknown): Promise<T> {
    const url = URLExt.join(this.settings.baseUrl, 'autodiff-kit', path);
    const init: RequestInit = { method, ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }) };
    let response: Response;
    try {
      response = await ServerConnection.makeRequest(url, init, this.settings);
    } catch {
      throw new ServerRefusal(LOST, 'lost', t('The server does not answer.'));
    }
    if (response.status === 304 || response.status === 204) {
      return null as T;
    }
    const text = await response.text();
    if (!response.ok) {
      throw refusal(response.status, text);
    }
    return JSON.parse(text) as T;
  }

  syllabus = (): Promise<Syllabus> => this.ask('GET', 'syllabus');
  progress = (since: number): Promise<Progress | null> => this.ask('GET', `progress?since=${since}`);
  open = (no: string, what: 'lesson' | 'exercise'): Promise<Opened> => this.ask('POST', `lessons/${encodeURIComponent(no)}/open`, { what });
  exercises = (path: string): Promise<Exercises> => this.ask('GET', `exercises?path=${encodeURIComponent(path)}`);
  /** Null where it waits for the server. */
  seen = (question: string, what: { hint_seen: number } | { solution_seen: true }): Promise<{ rev: number; question: Question } | null> =>
    this.queue.put({ method: 'PATCH', path: `exercises/${encodeURIComponent(question)}`, body: what });
  /** A lesson was opened; one that is further stays so. */
  begun = (no: string): Promise<unknown> => this.queue.put({ method: 'PATCH', path: `progress/${encodeURIComponent(no)}`, body: { rev: 0, state: 'begun' } });
  handIn = (path: string, sha256: string): Promise<Handed> => this.ask('POST', 'handin', { path, sha256 });
  reset = (scope: string, notebooks: boolean): Promise<{ backup: Backup; progress: Progress }> => this.ask('POST', 'progress/reset', { scope, notebooks });
  backups = async (): Promise<Backup[]> => (await this.ask<{ backups: Backup[] }>('GET', 'backups')).backups;
  restore = (id: string): Promise<{ progress: Progress }> => this.ask('POST', `backups/${encodeURIComponent(id)}/restore`, {});

  /** A file for the teacher. */
  async export(format: 'json' | 'csv'): Promise<Blob> {
    const url = URLExt.join(this.settings.baseUrl, 'autodiff-kit', `export?format=${format}`);
    const response = await ServerConnection.makeRequest(url, {}, this.settings);
    if (!response.ok) {
      throw refusal(response.status, await response.text());
    }
    return response.blob();
  }
}

function refusal(status: number, text: string): ServerRefusal {
  let told: { code?: string; text?: string; do?: string } = {};
  try {
    told = (JSON.parse(text) as { error?: typeof told }).error ?? {};
  } catch {
    // An answer that is not ours: a proxy's page, or a server without the extension.
  }
  return new ServerRefusal(status, told.code ?? String(status), told.text ?? t('The server answered %1.', status), told.do ?? '');
}
