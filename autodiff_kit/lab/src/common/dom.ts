import { t } from './translation';

/** Helpers that create DOM and SVG elements. */

type Child = Node | string | null | undefined | false | Child[];
export type Children = Child[];
// Names of attributes, properties and listeners of any element.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Props = Record<string, any>;

const NS = 'http://www.w3.org/2000/svg';
const SVG = new Set(['svg', 'g', 'path', 'rect', 'circle', 'line', 'text', 'defs', 'pattern', 'title', 'style']);

const flat = (children: Children): (Node | string)[] =>
  (children.flat(4) as Child[]).filter(k => k !== null && k !== undefined && k !== false) as (Node | string)[];

function set(el: HTMLElement | SVGElement, name: string, value: Props[string], plain: boolean): void {
  if (name === 'on') {
    for (const [event, act] of Object.entries(value)) {
      el.addEventListener(event, act as EventListener);
    }
  } else if (name === 'style') {
    for (const [property, to] of Object.entries(value)) {
      el.style.setProperty(property, String(to));
    }
  } else if (name === 'dataset') {
    Object.assign(el.dataset, value);
  } else if (plain && name in el && !name.startsWith('aria') && name !== 'role' && name !== 'class') {
    (el as unknown as Props)[name] = value;
  } else {
    el.setAttribute(name, value === true ? '' : String(value));
  }
}

/** An element with its properties, listeners and children. */
export function h<T extends HTMLElement = HTMLElement>(tag: string, props?: Props | null, ...children: Children): T {
  const drawn = SVG.has(tag);
  const el = drawn ? document.createElementNS(NS, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value !== null && value !== undefined && value !== false) {
      set(el as HTMLElement, name, value, !drawn);
    }
  }
  el.append(...flat(children));
  return el as unknown as T;
}

/** The same element with other children. */
export function replaceChildren<T extends Element>(el: T, ...children: Children): T {
  el.replaceChildren(...flat(children));
  return el;
}

const STOPS = 'button:enabled, input:enabled, select:enabled, summary, [tabindex]';

/** Draw a part anew; what had the focus in it gives it to what stands at its place now, or to the panel where nothing does. */
export function keepFocus(part: Element, draw: () => void): void {
  const at = [...part.querySelectorAll(STOPS)].indexOf(document.activeElement!);
  draw();
  if (at >= 0) {
    const stops = part.querySelectorAll<HTMLElement>(STOPS);
    (stops[Math.min(at, stops.length - 1)] ?? part.closest<HTMLElement>('.akl'))?.focus({ preventScroll: true });
  }
}

/** A text whose `code` stands between backticks, as in Markdown; a backtick without a partner stays as it is. */
export const withCode = (text: string): Children =>
  text.split(/`([^`\n]+)`/).map((part, i) => (i % 2 ? h('code', null, part) : part));

const PATHS: Record<string, string> = {
  first: 'M3.5 3.5v9M12.5 3.5 6 8l6.5 4.5z',
  last: 'M12.5 3.5v9M3.5 3.5 10 8l-6.5 4.5z',
  back: 'M11 3.5 4.5 8l6.5 4.5z',
  next: 'M5 3.5 11.5 8 5 12.5z',
  play: 'M4.5 3v10l8.5-5z',
  pause: 'M5 3.5v9M11 3.5v9',
  search: 'M7 2.8a4.2 4.2 0 1 1 0 8.4 4.2 4.2 0 0 1 0-8.4zM10.2 10.2 13.5 13.5',
  pin: 'M5.5 2.5h5l-.8 4.2 2.3 2.3H4l2.3-2.3zM8 9v4.5',
  out: 'M9 3h4v4M13 3 8 8M11 9v4H3V5h4',
  close: 'M4 4l8 8M12 4l-8 8',
  fit: 'M3 6V3h3M10 3h3v3M13 10v3h-3M6 13H3v-3',
  plus: 'M8 3v10M3 8h10',
  minus: 'M3 8h10',
  hook: 'M9.5 2.5v6.3a2.7 2.7 0 1 1-5.4 0M2.6 10.2l1.5-1.6 1.7 1.4',
  cut: 'M3 3l7.5 7.5M13 3 5.5 10.5M4.2 10.4a1.6 1.6 0 1 1 0 3.2 1.6 1.6 0 0 1 0-3.2zM11.8 10.4a1.6 1.6 0 1 1 0 3.2 1.6 1.6 0 0 1 0-3.2z',
  reset: 'M3.2 8a4.8 4.8 0 1 0 1.6-3.6M3 2.8v2.7h2.7',
  check: 'M3 8.5l3.2 3.2L13 4.5',
  send: 'M2.5 8 13.5 3 10 13.5 7.5 9z',
  line: 'M3 4h10M3 8h6M3 12h8',
  clock: 'M8 2.7a5.3 5.3 0 1 1 0 10.6A5.3 5.3 0 0 1 8 2.7zM8 5v3l2 1.5',
  pencil: 'M3 13l.6-2.8L10.8 3 13 5.2 5.8 12.4z',
  half: 'M8 2.7a5.3 5.3 0 1 1 0 10.6A5.3 5.3 0 0 1 8 2.7zM8 2.7v10.6',
  warn: 'M8 2.8 14 13H2zM8 6.5v3M8 11.3v.1',
  save: 'M8 3v6.5M5 7l3 3 3-3M3 12.5h10',
  tape: 'M2.5 4.5h11v7h-11zM5.2 6.7h.1M8 6.7h.1M10.8 6.7h.1M5 9.2h6'
};

/** One of the kit's own icons: 16 px, one stroke. */
export const icon = (name: string): HTMLElement =>
  h('svg', { viewBox: '0 0 16 16', width: 16, height: 16, class: 'akl-icon', 'aria-hidden': 'true', focusable: 'false' },
    h('path', { d: PATHS[name] ?? '' }));

export interface ButtonOptions {
  ic?: string;
  act: () => void;
  cls?: string;
  title?: string;
  pressed?: boolean;
  disabled?: boolean;
  key?: string;
  text?: boolean;
}

/** A button with a label, or with an icon whose label is its accessible name and tooltip. */
export function button(label: string, looks: ButtonOptions): HTMLButtonElement {
  const worded = looks.text ?? !looks.ic;
  const hint = looks.title ?? (worded ? '' : label);
  return h<HTMLButtonElement>('button', {
    type: 'button',
    class: `akl-btn ${looks.cls ?? ''}${worded ? '' : ' akl-btn-icon'}`,
    title: hint ? hint + (looks.key ? ` (${looks.key})` : '') : null,
    'aria-label': worded ? null : label,
    'aria-pressed': looks.pressed === undefined ? null : String(looks.pressed),
    'aria-keyshortcuts': looks.key ?? null,
    disabled: looks.disabled,
    on: { click: looks.act }
  }, looks.ic ? icon(looks.ic) : null, worded ? h('span', null, label) : null);
}

export type Option<V> = [V, string | Node, string?];

/** A few choices side by side; arrows go from one to the next, as in any group of radio buttons. */
export function radioGroup<V>(options: Option<V>[], value: V, pick: (value: V) => void, label: string): HTMLElement {
  const el = h('div', { class: 'akl-segments', role: 'radiogroup', 'aria-label': label },
    options.map(([v, text, title]) => h('button', {
      type: 'button', role: 'radio', 'aria-checked': String(v === value), tabIndex: v === value ? 0 : -1,
      title: title ?? null, on: { click: () => pick(v) }
    }, text)));
  el.addEventListener('keydown', e => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[e.key];
    if (by) {
      const at = options.findIndex(o => o[0] === value);
      pick(options[(at + by + options.length) % options.length][0]);
      e.preventDefault();
      e.stopPropagation();
    }
  });
  return el;
}

/** A drop-down list. */
export const selectMenu = (label: string, pick: (value: string) => void, cls = ''): HTMLSelectElement =>
  h<HTMLSelectElement>('select', { class: `akl-select ${cls}`, 'aria-label': label,
    on: { change: (e: Event) => pick((e.target as HTMLSelectElement).value) } });

let pen: CanvasRenderingContext2D | null = null;

/** A text cut to a width in pixels. */
export function truncateText(text: string, px: number, font: string): string {
  pen ??= document.createElement('canvas').getContext('2d');
  if (!pen) {
    return text;
  }
  pen.font = font;
  let n = text.length;
  if (pen.measureText(text).width <= px) {
    return text;
  }
  while (n > 1 && pen.measureText(text.slice(0, n) + '…').width > px) {
    n--;
  }
  return text.slice(0, n).trimEnd() + '…';
}

/** Put a text on the clipboard where the browser lets us. */
export const copyToClipboard = (text: string): void => void navigator.clipboard?.writeText(text);

/** A sentence over the panel, with one thing to do about it. */
export const banner = (cls: string, children: Children, ...actions: Children): HTMLElement =>
  h('div', { class: `akl-banner ${cls}` }, children, actions);

/** A close button. */
export const closeButton = (act: () => void, key?: string): HTMLElement =>
  button(t('Close'), { ic: 'close', cls: 'akl-plainicon', key, act });
