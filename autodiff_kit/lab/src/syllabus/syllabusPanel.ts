import { button, type Children, replaceChildren, h, icon, keepFocus } from '../common/dom';
import { blobOf } from '../common/download';
import { formatBytes } from '../common/numberFormat';
import type { Backup, Lesson, LessonState, Need, NextStep, Progress, ServerClient, LessonProgress } from '../services/serverClient';
import { NO_RESPONSE, ServerError } from '../services/serverClient';
import { refusalText } from '../services/protocol';
import { t, tn } from '../common/translation';

/** The syllabus panel: all lessons with the learner's progress, the next step, reset and backups. */

export interface SyllabusHost {
  /** Open a lesson. */
  lesson(no: string): Promise<void>;
  /** Open a lesson at a cell, or where the learner left it, and run what is above. */
  resume(no: string, cell?: string | null): Promise<void>;
  exercise(no: string): Promise<void>;
  save(blob: Blob, name: string): void;
  /** A file of the learner's, in base64; null where none was chosen. */
  choose(accept: string): Promise<string | null>;
  /** What waited for the server was taken: every panel shows it. */
  progressChanged(): void;
}

const EMPTY: Progress = {
  rev: 0, lessons: {}, totals: { read: 0, done: 0, lessons: 0, predicted: 0, prompts: 0, solved: 0, questions: 0, score: 0, max: 0 }, notices: [],
  next: { lesson: null, kind: '', cell: null, path: null, heading: '', minutes: null }
};
const RETRY_SECONDS = [1, 2, 4, 8]; // s between questions to a server that was lost

export const stateName = (state: LessonState): string => ({ none: t('not begun'), begun: t('begun'), read: t('read'), done: t('done') })[state];

/** The icon of a lesson's state: empty, quarter, half, full with a tick. */
export function stateIcon(state: LessonState): HTMLElement {
  const inside: Record<LessonState, HTMLElement[]> = {
    none: [], begun: [h('path', { d: 'M8 8V2a6 6 0 0 1 6 6z', class: 'f' })], read: [h('path', { d: 'M8 2a6 6 0 0 1 0 12z', class: 'f' })],
    done: [h('circle', { cx: 8, cy: 8, r: 6.5, class: 'f' }), h('path', { d: 'M5 8.3l2.1 2.1L11 6', class: 'tick' })]
  };
  return h('svg', { viewBox: '0 0 16 16', class: `akl-state is-${state}`, 'aria-hidden': 'true' }, h('circle', { cx: 8, cy: 8, r: 6 }), inside[state]);
}

/** What comes next, in the learner's language; the lesson's own words stay as they are. */
function nextText({ kind, heading }: NextStep): Children {
  const said = { '': '', start: '%1', predict: t('Predict before the cell runs: %1', '%1'), run: t('Run the cell that answers your prediction: %1', '%1'), finish: t('Read on to the end: %1', '%1'), exercise: t('Exercise %1', '%1'), finished: t('Every lesson is read, predicted and solved.') }[kind];
  const [before, after] = said.split('%1');
  return after === undefined ? [said] : [before, h('span', { lang: 'en' }, heading), after];
}

const titleOf = (lesson: Lesson): string => `${lesson.no} ${lesson.title}`;
/** What else a search looks through: keywords first, since they are short. */
const whereElse = (lesson: Lesson): string[] => [...lesson.keywords, lesson.goal];
const includes = (text: string, query: string): boolean => text.toLowerCase().includes(query);

/** A text in which what was searched for stands out. */
function marked(text: string, query: string): Children {
  const at = query ? text.toLowerCase().indexOf(query) : -1;
  return at < 0 ? [text] : [text.slice(0, at), h('mark', null, text.slice(at, at + query.length)), text.slice(at + query.length)];
}

const fact = (name: string, ...what: (string | HTMLElement | HTMLElement[])[]): HTMLElement[] => [h('dt', null, name), h('dd', null, ...what)];

export class SyllabusPanel {
  readonly el: HTMLElement;
  private lessons: Lesson[] = [];
  private parts = new Map<string, string>();
  private progress = EMPTY;
  private expanded: string | null = null;
  private openPath = '';
  private query = '';
  private serverError: ServerError | null = null;
  private disconnectedAt = '';
  private retries = 0;
  private retryTimer = 0;
  private readonly head = h('header', { class: 'akl-syl-head' });
  private readonly next = h('div', { class: 'akl-next' });
  private readonly notice = h('div', { role: 'status' });
  private readonly tree = h('div', { class: 'akl-tree', role: 'tree', 'aria-label': t('Lessons') });
  private readonly dialog = h('div', { class: 'akl-sheet', hidden: true });
  private readonly toast = h('div', { class: 'akl-toast', role: 'status', hidden: true });
  private readonly search = h<HTMLInputElement>('input', { type: 'search', class: 'akl-search', placeholder: t('Find a lesson'), 'aria-label': t('Find a lesson') });
  /** The next thing to do changed: the launcher's words follow. */
  onNextStep: (label: string, title: string) => void = () => undefined;

  constructor(private readonly server: ServerClient, private readonly host: SyllabusHost) {
    this.el = h('section', { class: 'akl akl-syllabus', 'aria-label': t('Syllabus'), tabIndex: -1 }, this.head, this.notice, this.next,
      h('div', { class: 'akl-tools' }, h('label', { class: 'akl-searchbox' }, icon('search'), this.search)), this.tree, this.foot(), this.dialog, this.toast);
    this.search.addEventListener('input', () => { this.query = this.search.value; this.drawLessons(); });
    this.search.addEventListener('keydown', e => this.onSearchKey(e));
    this.tree.addEventListener('keydown', e => this.onKeydown(e));
    this.el.addEventListener('keydown', e => !e.ctrlKey && !e.metaKey && !e.altKey && e.stopPropagation());
    server.queue.onChange = () => this.drawNotices();
    this.draw();
  }

  // ------------------------------------------------------------ what the server knows
  async load(): Promise<void> {
    try {
      const all = await this.server.syllabus();
      this.lessons = all.lessons;
      this.parts = new Map(all.parts.map(part => [part.no, part.title]));
      this.progress = all.progress;
      this.serverError = null;
      this.retries = 0;
      void this.server.queue.flush().then(taken => taken && this.host.progressChanged());
    } catch (error) {
      this.recordError(error as ServerError);
    }
    this.expanded ??= this.openLesson;
    this.draw();
    this.showExpanded();
  }

  /** A notebook came to the front: its lesson is the unfolded one. */
  showNotebook(path: string): void {
    this.openPath = path;
    this.expanded = this.openLesson ?? this.expanded;
    this.drawLessons();
    this.showExpanded();
  }

  private showExpanded(): void {
    this.tree.querySelector('.is-open > .akl-lesson-row')?.scrollIntoView({ block: 'nearest' });
  }

  /** The lesson to which the notebook in front belongs, or whose exercise it is. */
  private get openLesson(): string | null {
    return this.lessons.find(one => this.openPath && [one.notebook, one.exercise].includes(this.openPath))?.no ?? null;
  }

  /** Progress changed elsewhere: in the kernel, another tab, or by a check. */
  async refreshProgress(): Promise<void> {
    try {
      const news = await this.server.progress(this.progress.rev);
      if (this.lessons.length) {
        this.serverError = null; // where even the lessons are missing, the way to try again stays
      }
      if (news) {
        this.showProgress(news);
      } else {
        this.drawNotices();
      }
    } catch (error) {
      this.recordError(error as ServerError);
      this.drawNotices();
    }
  }

  private showProgress(progress: Progress): void {
    this.progress = progress;
    this.draw();
  }

  private recordError(error: ServerError): void {
    this.serverError = error;
    if (error.status === NO_RESPONSE) {
      this.disconnectedAt ||= new Date().toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
      const wait = RETRY_SECONDS[Math.min(this.retries++, RETRY_SECONDS.length - 1)];
      clearTimeout(this.retryTimer); // one question at a time, however many went unanswered
      this.retryTimer = window.setTimeout(() => void this.load(), 1000 * wait);
    }
  }

  get upcoming(): NextStep {
    return this.progress.next;
  }
  private lessonProgress(no: string): LessonProgress | undefined {
    return this.progress.lessons[no];
  }
  private state(no: string): LessonState {
    return this.lessonProgress(no)?.state ?? 'none';
  }
  private lesson(no: string | null): Lesson | undefined {
    return this.lessons.find(one => one.no === no);
  }

  // ------------------------------------------------------------ drawing
  private draw(): void {
    keepFocus(this.head, () => this.drawHeader());
    this.drawNotices();
    keepFocus(this.next, () => this.drawNextStep());
    this.drawLessons();
  }

  private drawHeader(): void {
    const { lessons } = this;
    const all = this.progress.totals;
    replaceChildren(this.head, h('div', { class: 'akl-row' }, h('h2', null, t('Syllabus')), button(t('Export'), { ic: 'save', act: () => void this.export() }), button(t('Reset progress'), { ic: 'reset', act: () => void this.confirmReset('all') })),
      lessons.length ? [
        h('div', { class: 'akl-progress', role: 'img', 'aria-label': t('%1 of %2 lessons read', all.read, all.lessons) }, lessons.map(one => h('i', { class: `is-${this.state(one.no)}`, title: `${one.no} ${stateName(this.state(one.no))}` }))),
        h('dl', { class: 'akl-facts akl-totals' }, fact(t('Read'), t('%1 of %2 lessons', all.read, all.lessons)), fact(t('Predicted'), t('%1 of %2 results', all.predicted, all.prompts)),
          fact(t('Solved'), t('%1 of %2 questions', all.solved, all.questions), ` · ${t('%1 of %2 points', all.score, all.max)}`))
      ] : null);
  }

  /** What stays as it is is not put in anew: a screen reader would read it out each time. */
  private drawNotices(): void {
    const news = h('div', null, this.notices());
    if (news.innerHTML !== this.notice.innerHTML) {
      keepFocus(this.notice, () => replaceChildren(this.notice, ...news.childNodes));
    }
  }

  private notices(): (HTMLElement | null)[] {
    const { serverError: note } = this;
    if (!note) {
      this.disconnectedAt = '';
      return [this.unsentChanges(), ...this.progress.notices.map(one => h('div', { class: 'akl-banner is-plain' }, icon('warn'), h('p', null, `${one.text} ${one.do}`)))];
    }
    const words = note.status === NO_RESPONSE ? t('No connection since %1. You see the last copy; the page keeps trying.', this.disconnectedAt)
      : note.status === 404 ? t('This server does not have the kit’s extension, so there is no syllabus here. The tape inspector works.') : refusalText(note);
    return [h('div', { class: 'akl-banner is-plain' }, icon('warn'), h('p', null, words), button(t('Try again'), { act: () => void this.load() })), this.unsentChanges()];
  }

  /** What the server has not taken yet is not lost, and that is said. */
  private unsentChanges(): HTMLElement | null {
    const { size } = this.server.queue;
    return size ? h('p', { class: 'akl-quiet akl-pad' }, tn('%1 change is kept in this browser, and sent when the server takes it.', '%1 changes are kept in this browser, and sent when the server takes them.', size)) : null;
  }

  private drawNextStep(): void {
    const { next } = this.progress;
    const lesson = this.lesson(next.lesson);
    this.next.hidden = !next.kind && !lesson;
    if (!lesson) {
      this.onNextStep('', '');
      replaceChildren(this.next, h('span', { class: 'akl-next-kicker' }, t('Next')), h('p', null, nextText(next)));
      return;
    }
    const begun = this.state(lesson.no) !== 'none';
    this.onNextStep(begun ? t('Continue') : t('Start'), lesson.title);
    replaceChildren(this.next, h('span', { class: 'akl-next-kicker' }, t('Next')), h('p', null, h('b', { lang: 'en' }, `${lesson.no} ${lesson.title}`), [h('br'), nextText(next)]),
      h('div', { class: 'akl-next-row' }, button(begun ? t('Go on') : t('Start'), { cls: 'akl-primary', act: () => void this.openNextStep() }), next.minutes ? h('span', { class: 'akl-quiet' }, next.kind === 'exercise' ? t('exercises: about %1 min', next.minutes) : t('about %1 min left', next.minutes)) : null));
  }

  /** To the very step that comes next. */
  async openNextStep(): Promise<void> {
    if (!this.lessons.length) {
      await this.load(); // a command may come before the panel was ever seen
    }
    const { next } = this.progress;
    const { lesson } = next;
    if (lesson) {
      await this.runOrToast(() => (next.kind === 'exercise' ? this.host.exercise(lesson) : this.host.resume(lesson, next.cell)));
    }
  }

  private async runOrToast(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      this.showToast(refusalText(error));
    }
  }

  /** The list, drawn anew; what has the focus keeps it, for news come at any time. */
  private drawLessons(): void {
    const back = this.rememberFocus();
    const q = this.query.trim().toLowerCase();
    const hits = this.lessons.filter(one => !q || [titleOf(one), ...whereElse(one)].some(text => includes(text, q)));
    const part = (one: Lesson): HTMLElement | null => {
      const title = q ? undefined : this.parts.get(one.no);
      return title ? h('div', { class: 'akl-part', role: 'presentation', lang: 'en' }, title) : null;
    };
    const none = q && this.lessons.length ? h('p', { class: 'akl-pad akl-quiet', role: 'treeitem', tabIndex: -1 }, t('No lesson has “%1”. Try an op, such as where, or a word of a title.', this.query)) : null;
    replaceChildren(this.tree, hits.length ? hits.map(one => [part(one), this.row(one)]) : none);
    if (hits.length && !this.tree.querySelector('[tabindex="0"]')) {
      this.tree.querySelector<HTMLElement>('.akl-lesson')!.tabIndex = 0;
    }
    back();
  }

  /** Gives the focus back to the lesson that has it now, or to its button. */
  private rememberFocus(): () => void {
    const active = document.activeElement;
    const item = this.tree.contains(active) ? active!.closest<HTMLElement>('.akl-lesson') : null;
    if (!item) {
      return () => undefined;
    }
    const at = [...item.querySelectorAll('button')].indexOf(active as HTMLButtonElement);
    return () => {
      this.focusLesson(item.dataset.no!);
      this.tree.querySelectorAll<HTMLElement>('.akl-lesson:focus button')[at]?.focus();
    };
  }

  private row(lesson: Lesson): HTMLElement {
    const state = this.state(lesson.no);
    const on = this.expanded === lesson.no;
    const score = this.lessonProgress(lesson.no)?.score ?? 0;
    const minutes = lesson.minutes ? t('%1 min', lesson.minutes) : '';
    const right = on ? '' : lesson.coming ? t('coming') : state === 'none' ? minutes : `${score}/${lesson.points}`;
    const q = this.query.trim().toLowerCase();
    const why = q && !includes(titleOf(lesson), q) ? whereElse(lesson).find(text => includes(text, q)) : undefined;
    const head = h('div', { class: 'akl-lesson-row', on: { click: () => this.toggle(lesson.no), dblclick: () => void this.start(lesson) } },
      stateIcon(state), h('span', { class: 'akl-no' }, lesson.no), h('span', { class: 'akl-lesson-title', lang: 'en' }, marked(lesson.title, q), why ? h('small', { class: 'akl-hit' }, marked(why, q)) : null), h('span', { class: 'akl-min' }, right));
    return h('div', {
      class: `akl-lesson is-${state}${on ? ' is-open' : ''}${lesson.coming ? ' is-coming' : ''}`, role: 'treeitem', 'aria-expanded': String(on), 'aria-level': '1', tabIndex: on ? 0 : -1, dataset: { no: lesson.no },
      'aria-label': [`${lesson.no} ${lesson.title}`, lesson.coming ? t('coming') : stateName(state), minutes].filter(Boolean).join(', ')
    }, head, on ? this.body(lesson, state) : null);
  }

  private body(lesson: Lesson, state: LessonState): HTMLElement {
    const got = this.lessonProgress(lesson.no);
    const { needs } = lesson;
    const missing = needs.flatMap(({ lesson: no }) => (no && !['read', 'done'].includes(this.state(no)) ? [this.lesson(no)?.title ?? no] : []));
    const since = got?.at ? ` · ${new Date(got.at).toLocaleDateString()}` : '';
    return h('div', { class: 'akl-lesson-body' }, lesson.goal ? h('p', { lang: 'en' }, lesson.goal) : null,
      h('dl', null, fact(t('State'), stateName(state), since), got ? this.counts(got) : null,
        lesson.minutes ? fact(t('Time'), t('%1 min', lesson.minutes)) : null, fact(t('Needs'), h('ul', { class: 'akl-needs' }, needs.map(need => h('li', { lang: 'en' }, this.need(need)))))),
      lesson.coming ? h('p', { class: 'akl-quiet' }, t('This lesson is still being written.')) : state === 'none' && missing.length ? h('p', { class: 'akl-quiet' }, t('You can start anyway, but %1 should come first.', missing.join(', '))) : null,
      lesson.coming ? null : this.actions(lesson, state));
  }

  /** Read, predicted and solved: three things, none of which follows from another. */
  private counts(got: LessonProgress): HTMLElement[][] {
    const right = got.judged ? ` · ${t('%1 of %2 right', got.right, got.judged)}` : ''; // before the results nothing is wrong
    return [fact(t('Read'), t('%1 of %2 results', got.read, got.prompts)), fact(t('Predicted'), t('%1 of %2', got.predicted, got.prompts), right),
      fact(t('Solved'), t('%1 of %2 questions', got.solved, got.questions), ` · ${t('%1 of %2 points', got.score, got.max)}`)];
  }

  /** What a lesson builds on: another lesson with its state, or words. */
  private need({ lesson: no, text }: Need): HTMLElement | string {
    if (!no) {
      return text;
    }
    const act = (): void => {
      this.expanded = no;
      this.drawLessons();
      this.focusLesson(no);
    };
    return h('button', { type: 'button', class: 'akl-need', title: this.lesson(no)?.title ?? no, 'aria-label': `${text}, ${stateName(this.state(no))}`, on: { click: act } }, stateIcon(this.state(no)), h('span', null, text));
  }

  private actions(lesson: Lesson, state: LessonState): HTMLElement {
    const next = this.progress.next.lesson === lesson.no;
    const words = state === 'none' ? t('Start') : state === 'begun' ? t('Go on') : t('Read again');
    return h('div', { class: 'akl-actions' }, button(words, { cls: next ? '' : 'akl-second', act: () => void this.start(lesson) }),
      lesson.exercise ? button(t('Exercises'), { act: () => void this.runOrToast(() => this.host.exercise(lesson.no)) }) : null,
      state === 'none' ? null : button(t('Reset this lesson'), { ic: 'reset', text: true, act: () => void this.confirmReset(lesson.no) }));
  }

  private start(lesson: Lesson): Promise<void> {
    return lesson.coming ? Promise.resolve() : this.runOrToast(() => (this.state(lesson.no) === 'begun' ? this.host.resume(lesson.no) : this.host.lesson(lesson.no)));
  }

  // ------------------------------------------------------------ keys
  private toggle(no: string): void {
    this.expanded = this.expanded === no ? null : no;
    this.drawLessons();
    this.focusLesson(no);
  }

  private focusLesson(no: string): void {
    const item = this.tree.querySelector<HTMLElement>(`[data-no="${CSS.escape(no)}"]`);
    this.tree.querySelectorAll<HTMLElement>('.akl-lesson').forEach(one => (one.tabIndex = one === item ? 0 : -1));
    item?.focus();
  }

  /** From the search into what it found. */
  private onSearchKey(e: KeyboardEvent): void {
    const found = [...this.tree.querySelectorAll<HTMLElement>('.akl-lesson')];
    const to = { ArrowDown: found[0], Enter: found[0], ArrowUp: found[found.length - 1] }[e.key];
    if (!to || e.ctrlKey || e.metaKey || e.altKey) {
      return;
    }
    e.preventDefault();
    const no = to.dataset.no!;
    if (e.key === 'Enter' && this.expanded !== no) {
      this.toggle(no);
    } else {
      this.focusLesson(no);
    }
  }

  /** Bring the search into view, for whoever wants to choose. */
  focusSearch(): void {
    this.search.focus();
  }

  private onKeydown(e: KeyboardEvent): void {
    const items = [...this.tree.querySelectorAll<HTMLElement>('.akl-lesson')];
    const at = items.findIndex(one => one === e.target);
    if (at < 0 || e.ctrlKey || e.metaKey || e.altKey) {
      return;
    }
    const no = items[at].dataset.no!;
    const go = (k: number): void => this.focusLesson(items[Math.max(0, Math.min(items.length - 1, k))].dataset.no!);
    const fold = (on: boolean): void => {
      if (on !== (this.expanded === no)) {
        this.toggle(no);
      }
    };
    const acts: Record<string, () => void> = {
      ArrowDown: () => go(at + 1), ArrowUp: () => (at ? go(at - 1) : this.focusSearch()), Home: () => go(0), End: () => go(items.length - 1), ArrowRight: () => fold(true), ArrowLeft: () => fold(false),
      Enter: () => void this.start(this.lesson(no)!), ' ': () => this.toggle(no), '/': () => this.focusSearch()
    };
    if (e.key in acts) {
      acts[e.key]();
      e.preventDefault();
    }
  }

  // ------------------------------------------------------------ reset, restore, export
  /** What goes, what stays, and that a backup is written first. */
  async confirmReset(scope: string): Promise<void> {
    const before = document.activeElement as HTMLElement | null;
    let backups: Backup[] = [];
    try {
      backups = await this.server.backups();
    } catch {
      // The list of backups is not needed to ask the question.
    }
    const close = (): void => {
      this.dialog.hidden = true;
      (before?.isConnected ? before : this.el).focus(); // the lessons may have been drawn anew
    };
    const notebooks = h<HTMLInputElement>('input', { type: 'checkbox' });
    const one = scope !== 'all';
    const yes = button(t('Back up and reset'), { cls: 'akl-primary', act: () => { close(); void this.runOrToast(() => this.reset(scope, notebooks.checked)); } });
    const box = h('div', { class: 'akl-sheet-box', role: 'alertdialog', 'aria-modal': 'true', 'aria-label': t('Reset progress'), 'aria-describedby': 'akl-reset-what' },
      h('h3', null, one ? t('Reset lesson %1?', scope) : t('Reset all progress?')),
      h('p', { id: 'akl-reset-what' }, one ? t('Your predictions, checks and score of this lesson are deleted. Other lessons are kept.') : t('Predictions, checks and scores of all lessons are deleted.')),
      h('p', null, t('A backup is written first. You can restore it at any time.')), h('label', { class: 'akl-check' }, notebooks, t('Also put the notebooks back as they came')),
      h('div', { class: 'akl-actions' }, yes, button(t('Cancel'), { act: close })), backups.length ? this.backups(backups, close) : null);
    box.addEventListener('keydown', e => this.dialogKey(e, box, close));
    replaceChildren(this.dialog, box);
    this.dialog.hidden = false;
    yes.focus();
  }

  private dialogKey(e: KeyboardEvent, box: HTMLElement, close: () => void): void {
    const stops = [...box.querySelectorAll<HTMLElement>('button, input')];
    const last = e.shiftKey ? stops[0] : stops[stops.length - 1];
    if (e.key === 'Escape') {
      close();
    } else if (e.key === 'Tab' && document.activeElement === last) {
      (e.shiftKey ? stops[stops.length - 1] : stops[0]).focus();
      e.preventDefault();
    }
  }

  private backups(list: Backup[], close: () => void): HTMLElement {
    const when = (one: Backup): string => new Date(one.at).toLocaleString();
    const row = (one: Backup): HTMLElement => h('div', null, h('span', null, `${when(one)} · ${formatBytes(one.bytes)}`), button(t('Restore'), { title: t('Restore the backup of %1', when(one)), act: () => { close(); void this.runOrToast(() => this.restore(one.id)); } }));
    return h('div', { class: 'akl-backups' }, h('h4', null, t('Backups')), list.map(row));
  }

  private async reset(scope: string, notebooks: boolean): Promise<void> {
    const { backup, progress } = await this.server.reset(scope, notebooks);
    this.showProgress(progress);
    this.showToast(t('Progress reset. A backup was written.'), button(t('Undo'), { act: () => void this.runOrToast(() => this.restore(backup.id)) }));
  }

  async restore(id: string): Promise<void> {
    this.showProgress((await this.server.restore(id)).progress);
    this.showToast(t('The backup was restored.'));
  }

  /** On a site without a server nobody else keeps the progress: the learner can. */
  private foot(): HTMLElement | null {
    return this.server.checksInKernel ? h('footer', { class: 'akl-keep' }, h('p', { class: 'akl-quiet' }, t('Your progress lies in this browser alone.')),
      button(t('Save it as a file'), { text: true, act: () => void this.saveProgress() }), button(t('Add a file'), { text: true, act: () => void this.addProgress() })) : null;
  }

  async saveProgress(): Promise<void> {
    await this.runOrToast(async () => {
      const { name, data } = await this.server.saveProgress();
      this.host.save(blobOf(data, 'application/vnd.sqlite3'), name);
    });
  }

  async addProgress(): Promise<void> {
    const data = await this.host.choose('.db');
    await this.runOrToast(async () => {
      if (data !== null) {
        this.showProgress(await this.server.addProgress(data));
        this.showToast(t('The progress in the file was added.'));
      }
    });
  }

  async export(): Promise<void> {
    await this.runOrToast(async () => this.host.save(await this.server.export('csv'), 'autodiff_progress.csv'));
  }

  private toastTimer = 0;

  private showToast(words: string, ...more: HTMLElement[]): void {
    clearTimeout(this.toastTimer);
    replaceChildren(this.toast, h('span', null, words), more, button(t('Close'), { ic: 'close', act: () => (this.toast.hidden = true) }));
    this.toast.hidden = false;
    this.toastTimer = window.setTimeout(() => (this.toast.hidden = true), more.length ? 60_000 : 8_000);
  }
}
