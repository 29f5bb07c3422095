import { h } from '../common/dom';
import { KIND } from './valueFormat';
import type { ViewActions, InspectorState } from './inspectorState';
import type { Tape } from './tape';
import { groupThousands, t } from '../common/translation';

const H = 36;
const COLOURS = ['ink', 'ink2', 'fwd', 'rev', 'nan', 'line2'] as const;
type Colours = Record<(typeof COLOURS)[number], string>;

interface Bin {
  cost: number;
  nan: boolean;
  none: boolean;
  zero: boolean;
  source: boolean;
  cut: boolean;
}

export interface Timeline {
  el: HTMLElement;
  draw(): void;
  /** Colours or kinds changed: draw the marks anew. */
  redraw(): void;
}

/** The timeline: an overview of the tape on which the playhead is dragged. */
export function createTimeline(s: InspectorState, moves: ViewActions): Timeline {
  const canvas = h<HTMLCanvasElement>('canvas', { class: 'akl-strip-canvas', 'aria-hidden': 'true' });
  const el = h('div', { class: 'akl-strip', role: 'slider', tabIndex: 0, 'aria-label': t('Place on the tape'), 'aria-valuemin': '0' }, canvas);
  let colours: Colours | null = null;
  let width = 0;
  let marks: HTMLCanvasElement | null = null;
  const draw = (): void => {
    const tape = s.tape;
    width ||= el.clientWidth;
    if (!tape || !width) {
      return;
    }
    colours ??= readColours(el);
    const dpr = window.devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * dpr)) {
      canvas.width = Math.round(width * dpr);
      canvas.height = H * dpr;
      marks = null;
    }
    marks ??= drawMarks(tape, width, dpr, colours);
    const g = canvas.getContext('2d')!;
    g.setTransform(dpr, 0, 0, dpr, 0, 0);
    g.clearRect(0, 0, width, H);
    drawFrame(g, s, tape.n, width, colours, marks);
    updateAria(el, s, tape);
  };
  addListeners(el, s, moves);
  new ResizeObserver(() => { width = el.clientWidth; draw(); }).observe(el);
  return { el, draw, redraw: () => { colours = null; marks = null; draw(); } };
}

function readColours(el: HTMLElement): Colours {
  const style = getComputedStyle(el);
  return Object.fromEntries(COLOURS.map(name => [name, style.getPropertyValue(`--ak-${name}`).trim() || '#888'])) as Colours;
}

/** Drawn once for a tape, a width and a theme; 10,000 nodes are binned to the pixel. */
function drawMarks(tape: Tape, width: number, dpr: number, css: Colours): HTMLCanvasElement {
  const c = document.createElement('canvas');
  c.width = width * dpr;
  c.height = H * dpr;
  const g = c.getContext('2d')!;
  g.scale(dpr, dpr);
  const bins = Math.max(1, Math.min(tape.n, Math.floor(width / 3)));
  const wide = width / bins;
  const list = Array.from({ length: bins }, (_, k) => binNodes(tape, Math.floor((k * tape.n) / bins), Math.floor(((k + 1) * tape.n) / bins)));
  const most = Math.log1p(Math.max(1, ...list.map(b => b.cost)));
  list.forEach((b, k) => {
    const w = Math.max(1, Math.min(14, wide - (wide > 4 ? 1.5 : 0.5)));
    drawBin(g, b, k * wide + (wide - w) / 2, w, 3 + (9 * Math.log1p(b.cost)) / most, css);
  });
  return c;
}

function binNodes(tape: Tape, a: number, b: number): Bin {
  const { flops, flops_back } = tape.columns.cost;
  const out: Bin = { cost: 0, nan: false, none: true, zero: true, source: false, cut: false };
  for (let i = a; i < Math.max(b, a + 1); i++) {
    const k = tape.kinds.cotangent[i];
    out.cost = Math.max(out.cost, flops[i] + flops_back[i]);
    out.nan ||= tape.kinds.value[i] === KIND.NAN || k === KIND.NAN;
    out.none &&= k === KIND.NONE && !tape.flag(i, 'k');
    out.zero &&= k === KIND.ZERO;
    out.source ||= tape.flag(i, 's');
    out.cut ||= tape.flag(i, 'cut');
  }
  return out;
}

function drawBin(g: CanvasRenderingContext2D, b: Bin, x: number, w: number, tall: number, css: Colours): void {
  const y = H / 2;
  if (b.nan) {
    g.fillStyle = css.nan;
    for (let yy = y - 7; yy < y + 7; yy += 3) {
      g.fillRect(x, yy, w, 1.6);
    }
  } else if (b.none && w > 3) {
    g.strokeStyle = css.ink2;
    g.setLineDash([2, 1.5]);
    g.strokeRect(x + 0.5, y - tall / 2, w - 1, tall);
    g.setLineDash([]);
  } else {
    g.fillStyle = b.none ? css.ink2 : css.ink;
    g.globalAlpha = b.none ? 0.35 : b.zero ? 0.95 : b.source ? 0.9 : 0.46;
    g.fillRect(x, y - (b.none ? 1 : tall / 2), w, b.none ? 2 : tall);
    g.globalAlpha = 1;
  }
  if (b.cut) {
    drawCut(g, x + w, y, css.ink);
  }
}

function drawCut(g: CanvasRenderingContext2D, x: number, y: number, ink: string): void {
  g.strokeStyle = ink;
  g.lineWidth = 1.2;
  g.beginPath();
  [[0.5, -8], [-1.5, -3], [2.5, 1], [0, 8]].forEach(([dx, dy], i) => (i ? g.lineTo(x + dx, y + dy) : g.moveTo(x + dx, y + dy)));
  g.stroke();
}

/** The forward sweep as a solid line above, the reverse one dashed below: the direction is not colour alone. */
function drawFrame(g: CanvasRenderingContext2D, s: InspectorState, n: number, width: number, css: Colours, marks: HTMLCanvasElement): void {
  const at = (i: number): number => (i / n) * width;
  g.fillStyle = css.line2;
  g.fillRect(0, 4, width, 1);
  g.fillRect(0, H - 5, width, 1);
  if (s.visibleNodes && n > 30) {
    g.fillStyle = css.ink;
    g.globalAlpha = 0.07;
    g.fillRect(at(s.visibleNodes[0]), 8, Math.max(3, at(s.visibleNodes[1] + 1) - at(s.visibleNodes[0])), H - 16);
    g.globalAlpha = 1;
  }
  g.drawImage(marks, 0, 0, width, H);
  g.fillStyle = s.tangents ? css.fwd : css.ink2;
  g.fillRect(0, 3, at(s.forwardEnd), s.tangents ? 3 : 2);
  g.fillStyle = css.rev;
  for (let x = width; x > at(s.reverseEnd); x -= 6) {
    g.fillRect(Math.max(at(s.reverseEnd), x - 4), H - 6, Math.min(4, x - at(s.reverseEnd)), 3);
  }
  if (s.playhead !== null) {
    drawPlayhead(g, Math.max(1, Math.min(width - 1, at(s.playhead + 0.5))), s.direction, css);
  }
}

function drawPlayhead(g: CanvasRenderingContext2D, x: number, dir: 1 | -1, css: Colours): void {
  g.fillStyle = css.ink;
  g.fillRect(x - 0.75, 0, 1.5, H);
  g.fillStyle = dir < 0 ? css.rev : css.fwd;
  const y = dir < 0 ? H - 9 : 0;
  g.beginPath();
  g.moveTo(x - 5 * dir, y);
  g.lineTo(x + 5 * dir, y + 4.5);
  g.lineTo(x - 5 * dir, y + 9);
  g.fill();
}

function updateAria(el: HTMLElement, s: InspectorState, tape: Tape): void {
  el.setAttribute('aria-valuemax', String(tape.n - 1));
  el.setAttribute('aria-valuenow', String(s.playhead ?? 0));
  const way = s.direction < 0 ? t('reverse') : t('forward');
  el.setAttribute('aria-valuetext', s.playhead === null ? t('not on a node') : t('node %1 of %2, %3, %4', s.playhead + 1, groupThousands(tape.n), tape.label(s.playhead), way));
}

function addListeners(el: HTMLElement, s: InspectorState, moves: ViewActions): void {
  const last = (): number => (s.tape?.n ?? 1) - 1;
  const go = (i: number): void => moves.seek(Math.max(0, Math.min(last(), i)));
  const seek = (e: PointerEvent): void => {
    const box = el.getBoundingClientRect();
    go(Math.floor(((e.clientX - box.left) / box.width) * (last() + 1)));
  };
  el.addEventListener('pointerdown', e => {
    if (s.tape) {
      el.setPointerCapture(e.pointerId);
      moves.pause();
      seek(e);
    }
  });
  el.addEventListener('pointermove', e => el.hasPointerCapture(e.pointerId) && seek(e));
  el.addEventListener('keydown', e => {
    if (e.shiftKey || e.altKey || e.ctrlKey || e.metaKey || !s.tape) {
      return;
    }
    const page = Math.ceil(s.tape.n / 20);
    const by: Record<string, number> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -s.tape.n, End: s.tape.n };
    if (e.key in by) {
      go((s.playhead ?? 0) + by[e.key]);
      e.preventDefault();
      e.stopPropagation();
    }
  });
}
