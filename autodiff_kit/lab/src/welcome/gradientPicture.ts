import { type Children, h } from '../common/dom';
import { t } from '../common/translation';

/** The first picture that a learner moves: a curve, its tangent, and how the slope is computed back through two operations. */

const [LOW, HIGH, START] = [-4, 4, 1.2];
const [WIDTH, HEIGHT] = [560, 190];
const [BOTTOM, TOP] = [-3.4, 2.6]; // of the curve, on this range
const REACH = 1.1; // how far the tangent goes to either side

interface Step {
  name: string;
  value: number;
  /** How fast y grows with it. */
  gradient: number;
}

/** y = x · sin x: forward the values, backward the gradients, each from those after it. */
export function gradientOf(x: number): Step[] {
  const s = Math.sin(x);
  const y = x * s;
  const [ofY, ofS] = [1, x]; // y = x · s
  const ofX = s * ofY + Math.cos(x) * ofS; // x is read by both operations
  return [{ name: 'x', value: x, gradient: ofX }, { name: 's = sin x', value: s, gradient: ofS }, { name: 'y = x · s', value: y, gradient: ofY }];
}

const left = (x: number): number => ((x - LOW) / (HIGH - LOW)) * WIDTH;
const up = (y: number): number => ((TOP - y) / (TOP - BOTTOM)) * HEIGHT;
const lineThrough = (points: [number, number][]): string => points.map(([x, y], i) => `${i ? 'L' : 'M'}${left(x).toFixed(1)} ${up(y).toFixed(1)}`).join('');
const written = (number: number): string => (Math.round(number * 100) / 100 + 0).toFixed(2).replace('-', '−');

const curve = (): string => lineThrough(Array.from({ length: 161 }, (_, i) => LOW + (i / 160) * (HIGH - LOW)).map(x => [x, x * Math.sin(x)]));

const row = (cls: string, head: string, cells: string[]): HTMLElement => h('tr', { class: cls }, h('th', { scope: 'row' }, head), cells.map(text => h('td', null, text)));

/** The picture with its slider; the point can be dragged too. */
export function gradientPicture(): HTMLElement {
  const tangent = h('path', { class: 'akl-grad-tangent' });
  const point = h('circle', { r: 6, class: 'akl-grad-point' });
  const drawing = h('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: 'akl-grad-curve', 'aria-hidden': 'true' },
    h('path', { d: `M0 ${up(0)}H${WIDTH}M${left(0)} 0V${HEIGHT}`, class: 'akl-grad-axis' }), h('path', { d: curve(), class: 'akl-grad-line' }), tangent, point);
  const range = h<HTMLInputElement>('input', { type: 'range', min: LOW, max: HIGH, step: 0.05, value: START, 'aria-label': 'x' });
  const body = h('tbody');
  const said = h('p', { class: 'akl-grad-said' });
  const draw = (): void => {
    const steps = gradientOf(Number(range.value));
    const [x, , y] = steps;
    tangent.setAttribute('d', lineThrough([-REACH, REACH].map(by => [x.value + by, y.value + by * x.gradient])));
    point.setAttribute('cx', String(left(x.value)));
    point.setAttribute('cy', String(up(y.value)));
    range.setAttribute('aria-valuetext', t('x = %1, slope %2', written(x.value), written(x.gradient)));
    body.replaceChildren(row('akl-as-fwd', t('value →'), steps.map(step => written(step.value))), row('akl-as-rev', t('← gradient'), steps.map(step => written(step.gradient))));
    said.textContent = t('At x = %1 the slope of the curve is %2: that is the gradient of x.', written(x.value), written(x.gradient));
  };
  const follow = (e: PointerEvent): void => {
    if (e.buttons & 1) {
      const { left: from, width } = drawing.getBoundingClientRect();
      range.value = String(LOW + ((e.clientX - from) / width) * (HIGH - LOW));
      draw();
    }
  };
  drawing.addEventListener('pointerdown', e => { drawing.setPointerCapture(e.pointerId); follow(e); });
  drawing.addEventListener('pointermove', follow);
  range.addEventListener('input', draw);
  draw();
  const heads: Children = gradientOf(START).map(({ name }) => h('th', { scope: 'col' }, h('i', null, name)));
  return h('figure', { class: 'akl-grad' }, drawing, range, h('table', null, h('thead', null, h('tr', null, h('td', null), heads)), body), said);
}
