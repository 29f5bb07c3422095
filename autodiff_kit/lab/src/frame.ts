import { button, choice, fill, h, icon, segments } from './dom';
import { type Only, type ViewName, VIEWS } from './state';
import type { By } from './tape';
import { t, tn } from './text';

/** What stands around the inspector's views: tape and facts, tabs, the deck, the filter. It knows nothing of tapes. */

export interface Acts {
  open(id: string): void;
  toMain(): void;
  show(view: ViewName): void;
  only(only: Only): void;
  collapse(by: By): void;
  pin(): void;
  play(): void;
  rewind(): void;
  step(by: 1 | -1): void;
  end(): void;
  turn(dir: 1 | -1): void;
}

const VIEW_KEYS: Record<ViewName, string> = { table: 't', graph: 'g', cost: 'c', memory: 'm', diff: 'd', why: 'w' };
const viewName = (v: ViewName): string => ({ table: t('Table'), graph: t('Graph'), cost: t('Cost'), memory: t('Memory'), diff: t('Diff'), why: t('Why?') })[v];

export class Frame {
  readonly el: HTMLElement;
  readonly facts = h('div', { class: 'akl-facts' });
  readonly dot = h('span', { class: 'akl-live', role: 'img' });
  readonly tabs = h('div', { class: 'akl-tabs', role: 'tablist', 'aria-label': t('Views of the tape') });
  readonly badge = h('span', { class: 'akl-badge', hidden: true });
  readonly where = h('output', { class: 'akl-where', 'aria-live': 'off' });
  readonly notes = h('div', { class: 'akl-banners', 'aria-live': 'polite' });
  readonly view = h('div', { class: 'akl-view', id: 'akl-view', role: 'tabpanel' });
  readonly empty = h('div', { class: 'akl-empty' });
  readonly search = h<HTMLInputElement>('input', { type: 'search', class: 'akl-search', placeholder: t('op, name, 4×6, #17'), 'aria-label': t('Find nodes') });
  readonly picker: HTMLSelectElement;
  readonly only: HTMLSelectElement;
  readonly collapse: HTMLSelectElement;
  readonly pin: HTMLElement;
  private readonly play: HTMLElement;
  private readonly ways = h('div', { class: 'akl-dir' });

  constructor(private readonly acts: Acts, strip: HTMLElement, detail: HTMLElement) {
    this.picker = choice(t('Tape'), id => acts.open(id), 'akl-tape-pick');
    this.only = choice(t('Show only'), v => acts.only(v as Only));
    this.collapse = choice(t('Collapse'), v => acts.collapse(v as By));
    this.pin = button(t('Pin this tape'), { ic: 'pin', pressed: false, key: 'p', act: () => acts.pin() });
    this.play = button(t('Play'), { ic: 'play', cls: 'akl-play', key: 'Space', act: () => acts.play() });
    VIEWS.forEach(v => this.tabs.append(this.tab(v)));
    this.tabs.addEventListener('keydown', e => this.tabKey(e));
    const first = h('header', { class: 'akl-head' }, h('div', { class: 'akl-row' }, this.dot, this.picker, this.pin, button(t('Open in the main area'), { ic: 'out', act: () => acts.toMain() })), this.facts);
    this.el = h('section', { class: 'akl akl-inspector', 'aria-label': t('Tape inspector'), tabIndex: -1 }, first, this.tabs, h('div', { class: 'akl-deck' }, this.transport(), strip), this.notes, this.tools(),
      h('div', { class: 'akl-main' }, this.view, detail), this.empty);
  }

  private transport(): HTMLElement {
    const { acts } = this;
    const keys: [string, string, string, () => void][] = [[t('Rewind'), 'first', 'Shift+Home', () => acts.rewind()], [t('Step back'), 'back', ',', () => acts.step(-1)],
      [t('Step'), 'next', '.', () => acts.step(1)], [t('To the end'), 'last', 'Shift+End', () => acts.end()]];
    const buttons: HTMLElement[] = keys.map(([label, ic, key, act]) => button(label, { ic, key, act }));
    buttons.splice(2, 0, this.play);
    return h('div', { class: 'akl-transport', role: 'toolbar', 'aria-label': t('Step through the tape') }, h('div', { class: 'akl-keys' }, buttons), this.ways, this.where);
  }

  private tools(): HTMLElement {
    fill(this.only, ([['', t('All')], ['none', 'None'], ['zero', t('Zero')], ['nan', 'NaN']]).map(([v, x]) => h('option', { value: v }, x)));
    fill(this.collapse, ([['none', t('Nodes')], ['line', t('Lines')], ['module', t('Modules')]]).map(([v, x]) => h('option', { value: v }, x)));
    return h('div', { class: 'akl-tools' }, h('label', { class: 'akl-searchbox' }, icon('search'), this.search), this.only, this.collapse);
  }

  private tab(v: ViewName): HTMLElement {
    return h('button', { type: 'button', role: 'tab', id: `akl-tab-${v}`, 'aria-controls': 'akl-view', 'aria-keyshortcuts': VIEW_KEYS[v], title: `${viewName(v)} (${VIEW_KEYS[v]})`, dataset: { v }, on: { click: () => this.acts.show(v) } },
      viewName(v), v === 'why' ? this.badge : null);
  }

  /** Another view is shown. */
  select(v: ViewName): void {
    for (const tab of this.tabs.children) {
      const on = (tab as HTMLElement).dataset.v === v;
      tab.setAttribute('aria-selected', String(on));
      (tab as HTMLElement).tabIndex = on ? 0 : -1;
    }
    this.view.setAttribute('aria-labelledby', `akl-tab-${v}`);
  }

  /** Which tapes there are to choose from. */
  offer(tapes: [string, string][], shown?: string): void {
    fill(this.picker, tapes.length ? tapes.map(([id, label]) => h('option', { value: id, selected: id === shown }, label)) : h('option', null, t('No tape yet')));
  }

  /** Whether the tape is pinned, and how many sources have no gradient. */
  tell(pinned: boolean, nones: number): void {
    this.dot.className = `akl-live${pinned ? ' is-pinned' : ''}`;
    this.dot.title = pinned ? t('Pinned: new runs do not replace it') : t('Follows the kernel');
    this.dot.setAttribute('aria-label', this.dot.title);
    this.badge.hidden = !nones;
    this.badge.textContent = String(nones);
    this.badge.title = tn('%1 source has no gradient', '%1 sources have no gradient', nones);
  }

  private tabKey(e: KeyboardEvent): void {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
    if (by) {
      const at = [...this.tabs.children].findIndex(tab => tab.getAttribute('aria-selected') === 'true');
      this.acts.show(VIEWS[(at + by + VIEWS.length) % VIEWS.length]);
      this.tabs.querySelector<HTMLElement>('[aria-selected="true"]')?.focus();
      e.preventDefault();
      e.stopPropagation();
    }
  }

  playing(on: boolean): void {
    fill(this.play, icon(on ? 'pause' : 'play'));
    this.play.setAttribute('aria-label', on ? t('Pause') : t('Play'));
  }

  /** The head turned. */
  turn(dir: 1 | -1): void {
    const words = (x: string): HTMLElement => h('span', null, x);
    const focused = this.ways.contains(document.activeElement);
    fill(this.ways, segments<1 | -1>([[1, words(t('Forward')), t('Values and tangents, top to bottom (f)')], [-1, words(t('Reverse')), t('Cotangents, from the target upward (r)')]], dir, way => this.acts.turn(way), t('Direction')));
    this.ways.dataset.dir = String(dir);
    if (focused) {
      this.ways.querySelector<HTMLElement>('[aria-checked="true"]')?.focus();
    }
  }
}
