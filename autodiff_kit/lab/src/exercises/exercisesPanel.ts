import { button, replaceChildren, h, icon, keepFocus, withCode } from '../common/dom';
import { type Exercises, type Submission, NO_RESPONSE, type Question, type QuestionState, ServerClient, ServerError } from '../services/serverClient';
import { refusalText } from '../services/protocol';
import { t, tn } from '../common/translation';

/** The exercises panel: the current notebook's questions, their state, hints and solutions, and handing in. */

export interface ExercisesHost {
  /** The notebook in front, as the server calls it; null where there is none. */
  notebookPath(): string | null;
  /** Run a question's answer and its check in the notebook's kernel; resolves when that is done, with what went wrong. */
  runCheck(label: string, question: string): Promise<string | null>;
  goToCell(id: string): void;
  /** SHA-256 of the saved file; null while the notebook has changes that are not saved. */
  savedHash(path: string): Promise<string | null>;
  saveNotebook(): Promise<void>;
  openNotebook(no: string, what: 'lesson' | 'exercise'): Promise<void>;
  progressChanged(): void;
}

type QuestionStatus = QuestionState | 'running';
const STATE_ICONS: Record<QuestionStatus, string> = { passed: 'check', partial: 'half', 'not yet': 'minus', error: 'warn', 'not tried': 'pencil', running: 'clock' };
const stateLabel = (state: QuestionStatus): string => ({ passed: t('passed'), partial: t('partly right'), 'not yet': t('not yet'), error: t('error'), 'not tried': t('not tried'), running: t('checking') })[state];
const SCROLLS = new Set(['ArrowDown', 'ArrowUp', 'Home', 'End']);
const barClass: Record<QuestionState, string> = { passed: 'done', partial: 'read', 'not yet': 'begun', error: 'begun', 'not tried': 'none' };

export class ExercisesPanel {
  readonly el: HTMLElement;
  private data: Exercises | null = null;
  private open: string | null = null;
  private running = new Set<string>();
  private checkErrors = new Map<string, string>();
  /** Questions whose hint or solution waits until the server answers. */
  private waiting = new Set<string>();
  private noticeText = '';
  private unsaved = false;
  private loadCount = 0;
  private readonly head = h('header', { class: 'akl-syl-head' });
  private readonly notice = h('div', { role: 'status' });
  private readonly list = h('div', { class: 'akl-questions', role: 'list', 'aria-label': t('Questions') });
  private readonly foot = h('footer', { class: 'akl-handin' });

  constructor(private readonly server: ServerClient, private readonly host: ExercisesHost) {
    this.el = h('section', { class: 'akl akl-exercises', 'aria-label': t('Exercises'), tabIndex: -1 }, this.head, this.notice, this.list, this.foot);
    this.el.addEventListener('keydown', e => !e.ctrlKey && !e.metaKey && !e.altKey && e.stopPropagation());
    this.draw();
  }

  /** How many questions the notebook in front has. */
  get count(): number {
    return this.data?.questions.length ?? 0;
  }

  // ------------------------------------------------------------ what the server knows
  async load(): Promise<void> {
    const path = this.host.notebookPath();
    const asked = ++this.loadCount;
    let data: Exercises | null = null;
    let note = '';
    try {
      data = path ? await this.server.exercises(path) : null;
    } catch (error) {
      note = this.errorText(error as ServerError);
    }
    if (asked === this.loadCount) {
      const same = this.data?.path === path;
      this.data = data ?? (note && same ? this.data : null);
      this.unsaved &&= same;
      this.noticeText = note;
      if (!note) {
        void this.sendQueued();
      }
      if (!same) { // whoever folded all questions of this notebook finds them so
        this.open = this.data?.questions.find(q => q.state !== 'passed')?.id ?? null;
      }
      this.draw();
    }
  }

  private async sendQueued(): Promise<void> {
    if (await this.server.queue.flush()) {
      this.host.progressChanged(); // this panel loads again, too
    }
  }

  /** A notebook outside the learner's folder, or a server without the extension, has no questions: no complaint. */
  private errorText(error: ServerError): string {
    if (error.status === NO_RESPONSE) {
      return t('No connection: checks and handing in wait until the server answers.');
    }
    return error.status === 404 || error.code === 'outside' || error.code === 'bad_path' ? '' : refusalText(error);
  }

  // ------------------------------------------------------------ drawing
  private draw(): void {
    const { data } = this;
    keepFocus(this.notice, () => replaceChildren(this.notice, this.noticeText ? h('div', { class: 'akl-banner is-plain' }, icon('warn'), h('p', null, this.noticeText), button(t('Try again'), { act: () => void this.load() })) : null));
    if (!data || !data.questions.length) {
      this.drawEmpty(data);
      return;
    }
    this.list.hidden = this.foot.hidden = false;
    const name = data.path.split('/').pop() ?? '';
    replaceChildren(this.head, h('div', { class: 'akl-row' }, h('h2', { lang: 'en' }, data.title)), h('p', { class: 'akl-facts' }, h('code', null, name)),
      h('div', { class: 'akl-points' }, h('b', null, String(data.score)), h('span', null, t('of %1 points, score so far', data.max)),
        h('div', { class: 'akl-progress', 'aria-hidden': 'true' }, data.questions.map(q => h('i', { class: `is-${barClass[q.state]}`, style: { 'flex-grow': q.points } })))),
      this.server.checksInKernel ? h('p', { class: 'akl-quiet' }, t('This is practice. Points that count come from the grader, which runs what you hand in in a sandbox.')) : null);
    const back = this.rememberFocus();
    replaceChildren(this.list, data.questions.map(q => this.card(q)));
    back();
    keepFocus(this.foot, () => this.drawSubmission(data));
  }

  private drawEmpty(data: Exercises | null): void {
    this.list.hidden = this.foot.hidden = true;
    const link = data?.exercise ? h('p', { class: 'akl-actions' }, button(t('Open the exercises of lesson %1', data.no), { act: () => void this.host.openNotebook(data.no, 'exercise') })) : null;
    replaceChildren(this.head, h('div', { class: 'akl-row' }, h('h2', null, t('Exercises'))), h('p', { class: 'akl-quiet' }, this.host.notebookPath() ? t('No questions in this notebook.') : t('Open a notebook with questions, and they are listed here.')), link);
  }

  private card(q: Question): HTMLElement {
    const on = this.open === q.id;
    const state: QuestionStatus = this.running.has(q.id) ? 'running' : q.state;
    const toggle = (): void => this.toggle(q.id);
    const tries = q.tries ? ` · ${tn('%1 try', '%1 tries', q.tries)}` : '';
    const head = h('button', { type: 'button', class: 'akl-q-head', 'aria-expanded': String(on), on: { click: toggle } },
      h('span', { class: 'akl-q-mark' }, icon(STATE_ICONS[state])), h('span', null, h('b', null, q.label), ' ', h('span', { lang: 'en' }, withCode(q.title)), h('span', { class: 'akl-q-state' }, stateLabel(state), tries)), h('span', { class: 'akl-min' }, `${q.score}/${q.points}`));
    return h('div', { class: `akl-q is-${state.replace(' ', '-')}${on ? ' is-open' : ''}`, role: 'listitem', dataset: { id: q.id }, on: { keydown: (e: KeyboardEvent) => this.onKeydown(e, q) } }, head, on ? this.body(q, state) : null);
  }

  private body(q: Question, state: QuestionStatus): HTMLElement {
    const waits = this.waiting.has(q.id) && this.server.queue.size > 0;
    const trouble = this.checkErrors.get(q.id) ?? (waits ? t('The server does not answer. Your request is kept; the result is shown as soon as the server answers.') : undefined);
    const message = trouble ?? (state === 'passed' || state === 'running' ? null : q.message);
    return h('div', { class: 'akl-q-body' }, message ? h('p', { class: 'akl-msg', lang: trouble ? null : (this.data?.language ?? null) }, withCode(message)) : null,
      (state === 'not yet' || state === 'partial') && !trouble ? this.tests(q) : null,
      state === 'not tried' && !trouble ? h('p', { class: 'akl-quiet' }, t('Write your answer in the notebook, then check it.')) : null,
      state === 'error' ? h('p', { class: 'akl-quiet' }, t('An error is not a wrong answer: it costs no try.')) : null,
      q.hints_seen ? h('ol', { class: 'akl-hints' }, q.hint_texts.slice(0, q.hints_seen).map(text => h('li', { lang: 'en' }, withCode(text)))) : null,
      q.solution_seen && q.solution ? h('pre', { class: 'akl-solution', tabIndex: 0 }, q.solution) : null, this.actions(q, state));
  }

  /** What the last check looked at, by name; what is not right yet stands out. */
  private tests(q: Question): HTMLElement | null {
    const line = ({ name, right, of }: Question['tests'][number]): HTMLElement => h('li', { class: right === of ? 'ok' : 'no' }, icon(right === of ? 'check' : 'minus'),
      h('span', null, withCode(name)), of > 1 ? h('span', { class: 'akl-quiet' }, t('%1 of %2', right, of)) : h('span', { class: 'ak-sr' }, right === of ? t('passes') : t('not yet')));
    return q.tests.length ? h('ul', { class: 'akl-tests', 'aria-label': t('What was tested') }, q.tests.map(line)) : null;
  }

  private actions(q: Question, state: QuestionStatus): HTMLElement {
    const last = q.hints_seen === q.hints - 1 && q.hint_cost > 0 && q.state !== 'passed'; // a pass stays as it is
    const hint = q.hints_seen >= q.hints ? t('No more hints') : last ? t('Hint %1 of %2 (costs %3)', q.hints_seen + 1, q.hints, q.hint_cost) : t('Hint %1 of %2', q.hints_seen + 1, q.hints);
    const { cell } = q;
    return h('div', { class: 'akl-actions' },
      button(t('Check'), { cls: 'akl-primary', key: this.open === q.id ? 'c' : undefined, disabled: state === 'running', act: () => void this.check(q) }),
      button(hint, { key: 'h', disabled: q.hints_seen >= q.hints, act: () => void this.hint(q) }),
      button(t('Solution'), { disabled: !q.solution_open || q.solution_seen, title: q.solution_open ? '' : t('After two tries'), act: () => void this.requestHelp(q, { solution_seen: true }) }),
      cell ? button(t('To the cell'), { ic: 'line', act: () => this.host.goToCell(cell) }) : null);
  }

  private drawSubmission(data: Exercises): void {
    const left = data.questions.filter(q => q.state !== 'passed').length;
    const last = data.handed[0] as Submission | undefined;
    const open = left ? tn('%1 question is open. You can hand in now and again later; the last one counts.', '%1 questions are open. You can hand in now and again later; the last one counts.', left) : t('All questions pass.');
    const at = last ? new Date(last.at).toLocaleString([], { dateStyle: 'short', timeStyle: 'short' }) : '';
    const words = this.unsaved ? t('Save first: the notebook has changes that the file does not have.') : last ? t('Handed in at %1, %2 of %3 points. Receipt %4. The file is %5: send it, unless your course collects it.', at, last.score, last.max, last.receipt, last.path) : open;
    replaceChildren(this.foot, h('p', { role: 'status' }, last && !this.unsaved ? icon('check') : null, h('span', null, words)),
      this.unsaved ? button(t('Save and hand in'), { ic: 'save', text: true, act: () => void this.host.saveNotebook().then(() => this.handIn()) })
        : button(last ? t('Hand in again') : t('Hand in'), { ic: 'send', text: true, disabled: this.noticeText !== '' && !data.exercise, act: () => void this.handIn() }));
  }

  // ------------------------------------------------------------ what the buttons do
  private toggle(id: string): void {
    this.open = this.open === id ? null : id;
    this.draw();
    this.focus(id);
  }

  private focus(id: string): void {
    this.list.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"] .akl-q-head`)?.focus();
  }

  /** Gives the focus back to the button that has it now, or to its question where that is off or gone. */
  private rememberFocus(): () => void {
    const active = document.activeElement;
    const card = this.list.contains(active) ? active!.closest<HTMLElement>('.akl-q') : null;
    if (!card) {
      return () => undefined;
    }
    const id = card.dataset.id!;
    const at = [...card.querySelectorAll('button')].indexOf(active as HTMLButtonElement);
    return () => {
      const stop = this.list.querySelectorAll<HTMLButtonElement>(`[data-id="${CSS.escape(id)}"] button`)[at];
      if (stop && !stop.disabled) {
        stop.focus();
      } else {
        this.focus(id);
      }
    };
  }

  private find(id?: string): Question | undefined {
    const all = this.data?.questions ?? [];
    return all.find(q => q.id === id || q.label === id) ?? all.find(q => q.id === this.open);
  }

  /** The questions are those of the notebook in front: every notebook has a q1, and another one may just have come. */
  private get isCurrent(): boolean {
    return this.data !== null && this.data.path === this.host.notebookPath();
  }

  /** Run a question's check in the kernel; while a cell runs it waits there. */
  async check(q: Question | undefined): Promise<void> {
    if (!q || this.running.has(q.id) || !this.isCurrent) {
      return;
    }
    this.running.add(q.id);
    this.checkErrors.delete(q.id);
    this.draw();
    const trouble = await this.host.runCheck(q.label, q.id).catch(refusalText);
    this.running.delete(q.id);
    if (trouble) {
      this.checkErrors.set(q.id, trouble);
    }
    await this.load();
    this.host.progressChanged();
  }

  /** Before a command, which may come while another notebook's questions stand in a hidden panel. */
  private async loadIfStale(): Promise<void> {
    if (!this.isCurrent) {
      await this.load();
    }
  }

  async checkById(id?: string): Promise<void> {
    await this.loadIfStale();
    await this.check(this.find(id));
  }

  async checkAll(): Promise<void> {
    await this.loadIfStale();
    const path = this.data?.path;
    for (const q of this.data?.questions ?? []) {
      if (this.data?.path === path) { // another notebook has questions of its own
        await this.check(q);
      }
    }
  }

  private async hint(q: Question | undefined): Promise<void> {
    if (q && q.hints_seen < q.hints) {
      await this.requestHelp(q, { hint_seen: q.hints_seen + 1 });
    }
  }

  async hintById(id?: string): Promise<void> {
    await this.loadIfStale();
    await this.hint(this.find(id));
  }

  async solutionById(id?: string): Promise<void> {
    await this.loadIfStale();
    const q = this.find(id);
    if (q?.solution_open) {
      await this.requestHelp(q, { solution_seen: true });
    }
  }

  private async requestHelp(q: Question, what: { hint_seen: number } | { solution_seen: true }): Promise<void> {
    try {
      const taken = await this.server.markSeen(q.id, what);
      const all = this.data?.questions ?? [];
      const at = all.findIndex(one => one.id === q.id); // -1 where another notebook came to the front
      if (!taken) {
        this.waiting.add(q.id);
      } else if (at >= 0) {
        all[at] = taken.question;
      }
    } catch (error) {
      this.checkErrors.set(q.id, this.errorText(error as ServerError) || (error as Error).message);
    }
    this.draw();
  }

  /** The server reads the saved file itself; what is not saved is not handed in. */
  async handIn(): Promise<void> {
    await this.loadIfStale();
    const { data } = this;
    if (!data || !this.isCurrent) {
      return;
    }
    try {
      const sha = await this.host.savedHash(data.path);
      this.unsaved = sha === null;
      if (sha !== null) {
        await this.server.handIn(data.path, sha);
        await this.load();
        this.host.progressChanged();
      }
    } catch (error) {
      this.unsaved = (error as ServerError).code === 'save_first';
      this.noticeText = this.unsaved ? '' : this.errorText(error as ServerError) || (error as Error).message;
    }
    this.draw();
  }

  private onKeydown(e: KeyboardEvent, q: Question): void {
    if (e.ctrlKey || e.metaKey || e.altKey || (SCROLLS.has(e.key) && e.target instanceof HTMLPreElement)) {
      return; // in a long solution these keys scroll
    }
    const all = [...this.list.querySelectorAll<HTMLElement>('.akl-q-head')];
    const at = all.findIndex(one => one.closest<HTMLElement>('.akl-q')!.dataset.id === q.id);
    const acts: Record<string, () => void> = { ArrowDown: () => all[at + 1]?.focus(), ArrowUp: () => all[at - 1]?.focus(), Home: () => all[0].focus(), End: () => all[all.length - 1].focus(), c: () => void this.check(q), h: () => void this.hint(q) };
    if (e.key in acts) {
      acts[e.key]();
      e.preventDefault();
    }
  }
}
