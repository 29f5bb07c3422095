import { button, selectMenu, replaceChildren, h, icon, radioGroup } from '../common/dom';
import { type RowFilter, type ViewName, VIEWS } from './inspectorState';
import { legend } from './legend';
import type { GroupBy } from './nodeGroups';
import { t, tn } from '../common/translation';

/** The inspector's layout: tape picker, tabs, playback controls and filters. It does not depend on tapes. */

export interface LayoutActions {
  open(id: string): void;
  moveToMainArea(): void;
  show(view: ViewName): void;
  setFilter(only: RowFilter): void;
  setGrouping(by: GroupBy): void;
  togglePin(): void;
  togglePlay(): void;
  rewind(): void;
  step(by: 1 | -1): void;
  end(): void;
  setDirection(dir: 1 | -1): void;
}

const VIEW_KEYS: Record<ViewName, string> = { table: 't', graph: 'g', cost: 'c', memory: 'm', diff: 'd', why: 'w' };
const viewName = (v: ViewName): string => ({ table: t('Table'), graph: t('Graph'), cost: t('Cost'), memory: t('Memory'), diff: t('Diff'), why: t('Why?') })[v];

export class InspectorLayout {
  readonly el: HTMLElement;
  readonly facts = h('div', { class: 'akl-facts' });
  readonly statusDot = h('span', { class: 'akl-live', role: 'img' });
  readonly tabs = h('div', { class: 'akl-tabs', role: 'tablist', 'aria-label': t('Views of the tape') });
  readonly badge = h('span', { class: 'akl-badge', hidden: true });
  readonly position = h('output', { class: 'akl-where', 'aria-live': 'off' });
  readonly banners = h('div', { class: 'akl-banners', 'aria-live': 'polite' });
  readonly view = h('div', { class: 'akl-view', id: 'akl-view', role: 'tabpanel' });
  readonly empty = h('div', { class: 'akl-empty' });
  readonly search = h<HTMLInputElement>('input', { type: 'search', class: 'akl-search', placeholder: t('op, name, 4×6, #17'), 'aria-label': t('Find nodes') });
  readonly tapePicker: HTMLSelectElement;
  readonly filter: HTMLSelectElement;
  readonly grouping: HTMLSelectElement;
  readonly pinButton: HTMLElement;
  private readonly playButton: HTMLElement;
  private readonly directionControl = h('div', { class: 'akl-dir' });

  constructor(private readonly actions: LayoutActions, strip: HTMLElement, detail: HTMLElement) {
    this.tapePicker = selectMenu(t('Tape'), id => actions.open(id), 'akl-tape-pick');
    this.filter = selectMenu(t('Show only'), v => actions.setFilter(v as RowFilter));
    this.grouping = selectMenu(t('Collapse'), v => actions.setGrouping(v as GroupBy));
    this.pinButton = button(t('Pin this tape'), { ic: 'pin', pressed: false, key: 'p', act: () => actions.togglePin() });
    this.playButton = button(t('Play'), { ic: 'play', cls: 'akl-play', key: 'Space', act: () => actions.togglePlay() });
    VIEWS.forEach(v => this.tabs.append(this.tab(v)));
    this.tabs.addEventListener('keydown', e => this.onTabKeydown(e));
    const first = h('header', { class: 'akl-head' }, h('div', { class: 'akl-row' }, this.statusDot, this.tapePicker, this.pinButton, button(t('Open in the main area'), { ic: 'out', act: () => actions.moveToMainArea() })), this.facts);
    this.el = h('section', { class: 'akl akl-inspector', 'aria-label': t('Tape inspector'), tabIndex: -1 }, first, this.tabs, h('div', { class: 'akl-deck' }, this.playbackControls(), strip), this.banners, this.tools(),
      h('div', { class: 'akl-main' }, this.view, detail), legend(), this.empty);
  }

  private playbackControls(): HTMLElement {
    const { actions } = this;
    const keys: [string, string, string, () => void][] = [[t('Rewind'), 'first', 'Shift+Home', () => actions.rewind()], [t('Step back'), 'back', ',', () => actions.step(-1)],
      [t('Step'), 'next', '.', () => actions.step(1)], [t('To the end'), 'last', 'Shift+End', () => actions.end()]];
    const buttons: HTMLElement[] = keys.map(([label, ic, key, act]) => button(label, { ic, key, act }));
    buttons.splice(2, 0, this.playButton);
    return h('div', { class: 'akl-transport', role: 'toolbar', 'aria-label': t('Step through the tape') }, h('div', { class: 'akl-keys' }, buttons), this.directionControl, this.position);
  }

  private tools(): HTMLElement {
    replaceChildren(this.filter, ([['', t('All')], ['none', 'None'], ['zero', t('Zero')], ['nan', 'NaN']]).map(([v, x]) => h('option', { value: v }, x)));
    replaceChildren(this.grouping, ([['none', t('Nodes')], ['line', t('Lines')], ['module', t('Modules')]]).map(([v, x]) => h('option', { value: v }, x)));
    return h('div', { class: 'akl-tools' }, h('label', { class: 'akl-searchbox' }, icon('search'), this.search), this.filter, this.grouping);
  }

  private tab(v: ViewName): HTMLElement {
    return h('button', { type: 'button', role: 'tab', id: `akl-tab-${v}`, 'aria-controls': 'akl-view', 'aria-keyshortcuts': VIEW_KEYS[v], title: `${viewName(v)} (${VIEW_KEYS[v]})`, dataset: { v }, on: { click: () => this.actions.show(v) } },
      viewName(v), v === 'why' ? this.badge : null);
  }

  /** Another view is shown. */
  selectTab(v: ViewName): void {
    for (const tab of this.tabs.children) {
      const on = (tab as HTMLElement).dataset.v === v;
      tab.setAttribute('aria-selected', String(on));
      (tab as HTMLElement).tabIndex = on ? 0 : -1;
    }
    this.view.setAttribute('aria-labelledby', `akl-tab-${v}`);
  }

  /** Fill the tape picker. */
  listTapes(tapes: [string, string][], shown?: string): void {
    replaceChildren(this.tapePicker, tapes.length ? tapes.map(([id, label]) => h('option', { value: id, selected: id === shown }, label)) : h('option', null, t('No tape yet')));
  }

  /** Whether the tape is pinned, and how many sources have no gradient. */
  updateStatus(pinned: boolean, nones: number): void {
    this.statusDot.className = `akl-live${pinned ? ' is-pinned' : ''}`;
    this.statusDot.title = pinned ? t('Pinned: new runs do not replace it') : t('Follows the kernel');
    this.statusDot.setAttribute('aria-label', this.statusDot.title);
    this.badge.hidden = !nones;
    this.badge.textContent = String(nones);
    this.badge.title = tn('%1 source has no gradient', '%1 sources have no gradient', nones);
  }

  private onTabKeydown(e: KeyboardEvent): void {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
    if (by) {
      const at = [...this.tabs.children].findIndex(tab => tab.getAttribute('aria-selected') === 'true');
      this.actions.show(VIEWS[(at + by + VIEWS.length) % VIEWS.length]);
      this.tabs.querySelector<HTMLElement>('[aria-selected="true"]')?.focus();
      e.preventDefault();
      e.stopPropagation();
    }
  }

  showPlaying(on: boolean): void {
    replaceChildren(this.playButton, icon(on ? 'pause' : 'play'));
    this.playButton.setAttribute('aria-label', on ? t('Pause') : t('Play'));
  }

  /** Show the direction of the playhead. */
  showDirection(dir: 1 | -1): void {
    const words = (x: string): HTMLElement => h('span', null, x);
    const focused = this.directionControl.contains(document.activeElement);
    replaceChildren(this.directionControl, radioGroup<1 | -1>([[1, words(t('Forward')), t('Values and tangents, top to bottom (f)')], [-1, words(t('Reverse')), t('Cotangents, from the target upward (r)')]], dir, way => this.actions.setDirection(way), t('Direction')));
    this.directionControl.dataset.dir = String(dir);
    if (focused) {
      this.directionControl.querySelector<HTMLElement>('[aria-checked="true"]')?.focus();
    }
  }
}
