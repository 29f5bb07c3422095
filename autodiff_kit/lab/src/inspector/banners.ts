import { noneBanner } from './nodeDetails';
import { banner, button, replaceChildren, h, icon } from '../common/dom';
import { formatBytes } from '../common/numberFormat';
import type { InspectorState } from './inspectorState';
import type { Tape } from './tape';
import { groupThousands, t, tn } from '../common/translation';

/** The inspector's banners, its facts line, the playhead's position, and its empty state. */

export const tapeFacts = (tape: Tape): string =>
  [tn('%1 node', '%1 nodes', tape.n), ...(tape.totals ? [t('%1 held', formatBytes(tape.totals.bytes))] : []), tape.header.persistent ? t('persistent') : t('one use'),
    ...(tape.released ? [t('values not kept')] : [])].join(' · ');

interface BannerActions {
  restart(): void;
  show(node: number): void;
  why(): void;
  close(): void;
}

const plainBanner = (ic: string, text: string, ...more: HTMLElement[]): HTMLElement => banner('is-plain', [icon(ic), h('p', null, text)], more);

/** What stands in place of a tape that the kernel could not send. */
export const unavailableBanner = (why: string): HTMLElement => plainBanner('warn', t('This tape could not be shown: %1', why));

/** What stands above the tape that is shown while another one was asked for. */
const otherTapeBanner = (why: string): HTMLElement => plainBanner('warn', t('Another tape could not be shown, so this is still the one before it: %1', why));

export function banners(s: InspectorState, acts: BannerActions): (HTMLElement | null)[] {
  const { tape } = s;
  if (!tape) {
    return [];
  }
  const condition = {
    ready: () => (tape.kernelEnded ? plainBanner('half', t('The kernel was started again. These values are of the kernel before it; run the cells again to record new ones.')) : null),
    dead: () => plainBanner('warn', t('The kernel stopped. Values sent before stay visible; there are no new ones.'), button(t('Restart'), { act: acts.restart })),
    busy: () => plainBanner('clock', t('The kernel is running. This is the tape before it; the new one appears when the cell ends.')),
    offline: () => plainBanner('warn', t('No connection. The kernel may still be running; values sent before stay visible.'))
  }[s.kernelCondition]();
  const one = tape.n === 1 ? banner('is-plain', [h('p', null, t('One node: %1 is watched, and nothing was computed from it yet.', tape.label(0)))]) : null;
  const elsewhere = tape.isTargetElsewhere ? plainBanner('cut', t('This gradient was taken of a value that is not on this tape, so it is None everywhere.')) : null;
  const released = tape.header.released ? plainBanner('half', releasedText(tape)) : null;
  const refused = s.refusal ? otherTapeBanner(s.refusal) : null;
  return [refused, nanBanner(s, tape, acts), one, elsewhere, condition, released, noneBanner(s, acts.why, acts.close)];
}

/** Why values of a tape are missing, and what brings them back. */
function releasedText(tape: Tape): string {
  return {
    '': t('This tape released its values after its gradient. Run its cell again to see them.'),
    unheard: t('This tape released its values after its gradient, and no inspector was listening. Run its cell again to see them.'),
    older: t('Newer tapes took the place of this one, so its values are not kept. Run its cell again, or pin a tape to keep it.'),
    large: t('The values of this tape take more memory than the inspector keeps. Record a smaller one to see them.')
  }[tape.header.released_because];
}

function nanBanner(s: InspectorState, tape: Tape, acts: BannerActions): HTMLElement | null {
  const { bad } = tape.header;
  if (!bad) {
    return null;
  }
  const place = tape.location(bad.node);
  const words = t('First seen at node %1, %2, cell %3, line %4.', bad.node, tape.label(bad.node), s.code.cellLabel(place), place[1]);
  return banner('is-nan', [h('span', { class: 'akl-v akl-v-nan' }, 'NaN'), h('p', null, words, ' ', h('span', { class: 'akl-mono' }, bad.text))], button(t('Show'), { act: () => acts.show(bad.node) }));
}

/** Show the playhead's position: a node and their number, or which end. */
export function updatePosition(el: HTMLElement, s: InspectorState): void {
  const { tape, playhead: cur, direction: dir } = s;
  if (!tape) {
    return;
  }
  const end = s.unstarted ? t('not begun') : dir < 0 ? (s.reverseEnd === 0 ? t('swept') : t('not begun')) : s.forwardEnd >= tape.n ? t('recorded') : t('not begun');
  replaceChildren(el, h('b', null, cur === null ? end : groupThousands(cur + 1)), cur === null ? '' : ` / ${groupThousands(tape.n)}`);
  el.title = dir < 0 ? t('Cotangents of %1', tape.label(tape.target)) : t('Values in the order in which they were recorded');
}

/** The empty state: a picture, three lines of code, and two buttons to begin. */
export function emptyState(example: () => void, lesson: () => void): HTMLElement[] {
  const frames = Array.from({ length: 17 }, (_, i) => h('rect', { x: 10 + i * 12, y: 27, width: 7, height: 10, rx: 1, class: i < 6 ? 'on' : 'off' }));
  const art = h('svg', { viewBox: '0 0 220 60', class: 'akl-empty-art', 'aria-hidden': 'true' }, h('path', { d: 'M4 22H216M4 42H216', class: 'l' }), frames, h('path', { d: 'M82 8V56', class: 'hd' }), h('path', { d: 'M76 6l12 5-12 5z', class: 'fw' }));
  return [art, h('h2', null, t('No tape yet')), h('p', null, t('Run a cell that records one, and every step of it appears here.')),
    h('p', { class: 'akl-empty-busy' }, icon('clock'), t('The kernel is running. A tape that it records appears here when the cell ends.')),
    h('pre', { tabIndex: 0 }, 'with ak.GradientTape() as tape:\n    tape.watch(x)\n    y = f(x)'),
    h('div', { class: 'akl-actions' }, button(t('Record an example'), { cls: 'akl-primary', act: example }), button(t('Open lesson 00'), { act: lesson }))];
}
