import { h } from '../common/dom';
import { t } from '../common/translation';

/** The HTML that stands for a widget where no kernel runs: its picture, its sentence and its table; a prediction as text. */

/** An output's HTML is not made longer than this; a notebook holds a dozen. */
const LONGEST = 400_000;
const [NARROWEST, WIDEST] = [360, 860]; // px of the picture
/** What a picture does not show, or what stands beside it as text. */
const LEFT_OUT = '.ak-summary, .ak-twin, .ak-sr, .ak-busy, .ak-banner, [hidden], script, style';
const FONTS = ['--jp-content-font-size1', '--jp-ui-font-family', '--jp-code-font-family'];

const escaped = (text: string | null | undefined): string => (text ?? '').trim().replace(/[&<>"]/g, sign => `&#${sign.charCodeAt(0)};`);

/**
 * A widget's view as HTML, as it stands now; null where what was stored when the cell ran says as much. A figure that
 * was never laid out is not drawn yet.
 */
export function snapshot(view: Element, isLaidOut: boolean): string | null {
  const asked = view.querySelector('.ak-predict');
  const figure = view.querySelector('section.ak');
  const html = asked ? predictionHtml(asked) : figure && isLaidOut ? figureHtml(figure) : null;
  return html && html.length <= LONGEST ? html : null;
}

/** A question, its choices, what was answered and what the kernel found; null while it is open. */
export function predictionHtml(asked: Element): string | null {
  if ((asked as HTMLElement).dataset.locked !== 'true') {
    return null;
  }
  const choices = [...asked.querySelectorAll('.ak-choice')].map(choice => {
    const tag = choice.querySelector('.ak-tag')?.textContent;
    const label = choice.querySelector('span:not(.ak-tag)')?.textContent;
    return `<div style="padding-left:16px">${escaped(label)}${tag ? ` — <b>${escaped(tag)}</b>` : ''}</div>`;
  });
  const said = [...asked.querySelectorAll('.ak-note[role=status]')].map(line => escaped(line.textContent)).filter(Boolean);
  return `<div><b>${escaped(asked.querySelector('legend')?.textContent)}</b>${choices.join('')}${said.map(line => `<p>${line}</p>`).join('')}</div>`;
}

function figureHtml(figure: Element): string {
  const said = escaped(figure.querySelector('.ak-summary')?.textContent);
  const alt = t('How the widget stood when the notebook was saved; the sentence and the table say the same.');
  const image = picture(figure);
  return `<img alt="${escaped(alt)}" width="${image.width}" style="max-width:100%;height:auto" src="${image.source}">${said ? `<p>${said}</p>` : ''}${tableHtml(figure.querySelector('.ak-twin table'))}`;
}

/** A table without classes and without what only a screen shows. */
export function tableHtml(table: Element | null): string {
  if (!table) {
    return '';
  }
  const caption = escaped(table.querySelector('caption')?.textContent);
  const rows = [...table.querySelectorAll('tr')].map(row => {
    const cells = [...row.children].map(cell => `<${cell.localName}>${escaped(cell.textContent)}</${cell.localName}>`);
    return `<tr>${cells.join('')}</tr>`;
  });
  return `<table>${caption ? `<caption>${caption}</caption>` : ''}${rows.join('')}</table>`;
}

/** A copy of a widget whose controls show in their attributes what a reader set. */
function copyOf(figure: Element): Element {
  const copy = figure.cloneNode(true) as Element;
  const controls = 'input, select, option, textarea';
  const set = [...copy.querySelectorAll(controls)];
  [...figure.querySelectorAll(controls)].forEach((control, i) => {
    if (control instanceof HTMLInputElement) {
      set[i].setAttribute('value', control.value);
      set[i].toggleAttribute('checked', control.checked);
    } else if (control instanceof HTMLOptionElement) {
      set[i].toggleAttribute('selected', control.selected);
    } else if (control instanceof HTMLTextAreaElement) {
      set[i].textContent = control.value;
    }
  });
  const drawn = [...copy.querySelectorAll('canvas')];
  [...figure.querySelectorAll('canvas')].forEach((canvas, i) => drawn[i].replaceWith(h('img', { src: canvas.toDataURL(), width: canvas.clientWidth, height: canvas.clientHeight })));
  copy.querySelectorAll(LEFT_OUT).forEach(part => part.remove());
  return copy;
}

/**
 * The rules of a style sheet that a part obeys. They are taken from its text: a browser writes a rule out without what
 * it cannot resolve, such as a `font` with variables.
 */
export function rulesFor(sheet: string, obeys: (selector: string) => boolean): string {
  const rules = sheet.replace(/\/\*[^]*?\*\//g, '').match(/[^{}]+\{(?:[^{}]|\{[^{}]*\})*\}/g) ?? [];
  const isUsed = (rule: string): boolean => {
    const selector = rule.slice(0, rule.indexOf('{')).trim();
    return selector.startsWith('@') ? selector.startsWith('@container') : obeys(selector.replace(/::[\w-]+/g, ''));
  };
  return rules.filter(isUsed).map(rule => rule.replace(/\s+/g, ' ').trim()).join('\n');
}

function styleOf(copy: Element): string {
  // Each class of widgets brings its sheet, most of them the same one.
  const sheets = new Set([...document.querySelectorAll('style')].map(style => style.textContent ?? '').filter(text => /^\.ak \{/m.test(text)));
  return [...sheets].map(sheet => rulesFor(sheet, selector => copy.matches(selector) || copy.querySelector(selector) !== null)).join('\n');
}

/** A widget as an SVG image, in the light theme. It is laid out beside the page, since the widget itself may be out of view. */
function picture(figure: Element): { source: string; width: number } {
  const copy = copyOf(figure);
  const width = Math.round(Math.min(WIDEST, Math.max(NARROWEST, figure.clientWidth || WIDEST)));
  const theme = getComputedStyle(document.body);
  const fonts = FONTS.map(name => `${name}: ${theme.getPropertyValue(name).replaceAll('"', "'")}`).join(';');
  const body = h('div', { 'data-jp-theme-light': 'true' }, copy);
  body.setAttribute('style', `width:${width}px;${fonts}`);
  const beside = h('div', { 'aria-hidden': 'true', style: { position: 'fixed', left: '-10000px', top: '0', visibility: 'hidden' } }, body);
  document.body.append(beside);
  const height = Math.ceil(copy.getBoundingClientRect().height);
  const rules = styleOf(body);
  beside.remove();
  const drawing = new DOMParser().parseFromString(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"><style/><foreignObject width="100%" height="100%"/></svg>`, 'image/svg+xml');
  drawing.querySelector('style')!.textContent = rules;
  drawing.querySelector('foreignObject')!.append(drawing.importNode(body, true));
  return { source: `data:image/svg+xml;base64,${base64(new XMLSerializer().serializeToString(drawing))}`, width };
}

function base64(text: string): string {
  let bytes = '';
  new TextEncoder().encode(text).forEach(byte => (bytes += String.fromCharCode(byte)));
  return btoa(bytes);
}
