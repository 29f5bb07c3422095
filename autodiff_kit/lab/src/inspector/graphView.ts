import { boxGraph, type BoxGraph } from './graphBoxes';
import { button, truncateText, replaceChildren, h } from '../common/dom';
import { type GraphLayout, layeredLayout, type Point } from './graphLayout';
import { KIND, shapeText } from './valueFormat';
import { saveDrawing } from './saveDrawing';
import type { ViewActions, InspectorState, View } from './inspectorState';
import { groupThousands, t, tn } from '../common/translation';
import { expandRuns } from './tape';

const H = 34;
const BOX_WIDTHS = { line: 158, module: 112, none: 112 };
const PAN = 48; // px that Shift and an arrow move the drawing
const ZOOM = { least: 0.12, most: 2.5, read: 0.62 };

interface BoxElement {
  el: HTMLElement;
  ids: number[];
  g: number | null;
  i: number;
}
interface EdgeElement {
  a: number;
  b: number;
  loop: boolean;
  el: HTMLElement;
}

/** The tape as a graph: boxes in tape order, with the table's colours and playhead. */
export function graphView(s: InspectorState, moves: ViewActions): View & { save(kind: 'svg' | 'png'): void } {
  return new GraphView(s, moves);
}

class GraphView implements View {
  readonly el: HTMLElement;
  private readonly scene = h('g');
  private readonly svg = h('svg', { class: 'akl-graph-svg', role: 'tree', tabIndex: '0', tabindex: '0', 'aria-label': t('Tape as a graph') }, this.scene);
  private readonly note = h('div', { class: 'akl-graph-note' });
  private boxGraph: BoxGraph | null = null;
  private drawing: GraphLayout | null = null;
  private boxElements: BoxElement[] = [];
  private edgeElements: EdgeElement[] = [];
  private key = '';
  private view = { x: 0, y: 0, k: 1 };
  private boxWidth = 112;

  constructor(private readonly s: InspectorState, private readonly moves: ViewActions) {
    const tool = (label: string, ic: string, act: () => void, key?: string): HTMLElement => button(label, { ic, act, key });
    this.el = h('div', { class: 'akl-graph' }, this.svg, this.note, h('div', { class: 'akl-graph-tools' },
      tool(t('Zoom in'), 'plus', () => this.zoom(1.25), '+'), tool(t('Zoom out'), 'minus', () => this.zoom(0.8), '-'), tool(t('Fit'), 'fit', () => this.fit(), '0'),
      tool(t('Save as SVG'), 'save', () => this.save('svg')), tool(t('Save as PNG'), 'out', () => this.save('png'))));
    this.listen();
  }

  /** Write the whole drawing to a file. */
  save(kind: 'svg' | 'png'): void {
    if (this.drawing && this.s.tape) {
      void saveDrawing(this.scene, this.drawing.width, this.drawing.height, this.s.tape.header.title || this.s.tape.id, kind);
    }
  }

  // ------------------------------------------------------------ what is seen of it
  private applyTransform(): void {
    this.scene.setAttribute('transform', `translate(${this.view.x.toFixed(1)} ${this.view.y.toFixed(1)}) scale(${this.view.k.toFixed(3)})`);
  }

  private zoom(by: number, cx = this.el.clientWidth / 2, cy = this.el.clientHeight / 2): void {
    const k = Math.max(ZOOM.least, Math.min(ZOOM.most, this.view.k * by));
    const grow = k / this.view.k;
    this.view = { k, x: cx - (cx - this.view.x) * grow, y: cy - (cy - this.view.y) * grow };
    this.applyTransform();
  }

  private fit(): void {
    const { el, drawing } = this;
    if (!drawing || !drawing.width) {
      return;
    }
    const tall = (el.clientHeight - 24) / drawing.height;
    const k = Math.min(1, (el.clientWidth - 24) / drawing.width, Math.max(tall, 0.85));
    this.view = { k: Math.max(k, ZOOM.read), x: 0, y: 12 };
    this.view.x = (el.clientWidth - drawing.width * this.view.k) / 2;
    if (k < ZOOM.read || tall < this.view.k) {
      this.centre(this.s.explanation?.node ?? this.s.playhead ?? this.s.tape!.target);
    } else {
      this.applyTransform();
    }
  }

  private centre(node: number): void {
    const box = this.boxGraph?.boxOf[node] ?? -1;
    const drawing = this.drawing!;
    if (box >= 0) {
      const along = (room: number, size: number, at: number): number => {
        const last = room - size * this.view.k - 12;
        return last > 12 ? (room - size * this.view.k) / 2 : Math.min(12, Math.max(last, room / 2 - at * this.view.k));
      };
      this.view.x = along(this.el.clientWidth, drawing.width, drawing.x[box]);
      this.view.y = along(this.el.clientHeight, drawing.height, drawing.y[box]);
    }
    this.applyTransform();
  }

  reveal(node: number): void {
    const box = this.boxGraph?.boxOf[node] ?? -1;
    if (box < 0 || !this.drawing) {
      if (this.boxGraph && this.boxGraph.total > this.boxGraph.boxes.length) {
        this.build();
      }
      return;
    }
    const x = this.drawing.x[box] * this.view.k + this.view.x;
    const y = this.drawing.y[box] * this.view.k + this.view.y;
    if (x < 50 || y < 30 || x > this.el.clientWidth - 50 || y > this.el.clientHeight - 40) {
      this.centre(node);
    }
  }

  // ------------------------------------------------------------ drawing it
  build(): void {
    const { s } = this;
    if (!s.tape || !this.el.isConnected) {
      return;
    }
    const key = [s.tape.id, s.tape.header.at, s.tape.n, s.grouping, s.settings.graphMost, ...s.expanded].join();
    const seen = this.boxGraph && (s.playhead === null || this.boxGraph.boxOf[s.playhead] >= 0 || s.tape.flag(s.playhead, 'k'));
    if (key !== this.key || !seen) {
      this.key = key;
      this.boxGraph = boxGraph(s, s.settings.graphMost);
      this.boxWidth = BOX_WIDTHS[this.boxGraph.grouping];
      this.drawing = layeredLayout(this.boxGraph.boxes.length, this.boxGraph.edges, { w: this.boxWidth, h: H, gapX: 14, gapY: 26 });
      this.draw();
    }
    this.refresh();
  }

  private draw(): void {
    const made = this.boxGraph!;
    const { x, y, paths } = this.drawing!;
    this.edgeElements = paths.map(([a, b, via], q) => ({ a, b, loop: made.backEdges.has(q), el: h('path', { class: 'akl-edge', d: curve([x[a], y[a] + H / 2], via, [x[b], y[b] - H / 2]) }) }));
    this.boxElements = made.boxes.map((box, i) => ({ el: this.drawBox(i), ids: box.ids, g: box.group?.g ?? null, i }));
    replaceChildren(this.scene, h('g', { role: 'presentation' }, this.edgeElements.map(line => line.el)), this.boxElements.map(node => node.el));
    replaceChildren(this.note, this.description(made));
    requestAnimationFrame(() => this.fit());
  }

  private description(made: BoxGraph): string {
    const parts = [tn('%1 box', '%1 boxes', made.boxes.length)];
    if (made.total > made.boxes.length) {
      parts[0] = t('The %1 boxes around the playhead, of %2', groupThousands(made.boxes.length), groupThousands(made.total));
    } else if (made.grouping !== this.s.grouping) {
      parts[0] = made.grouping === 'line' ? t('Collapsed by line: %1 nodes in %2 boxes', groupThousands(this.s.tape!.n), groupThousands(made.boxes.length)) : t('Collapsed by module: %1 nodes in %2 boxes', groupThousands(this.s.tape!.n), groupThousands(made.boxes.length));
    }
    if (made.grouping !== 'none') {
      parts.push(t('Enter opens a box'));
    }
    if (made.backEdges.size) {
      parts.push(t('dotted: into the next round'));
    }
    return parts.join(' · ');
  }

  private drawBox(i: number): HTMLElement {
    const { group, ids } = this.boxGraph!.boxes[i];
    const tape = this.s.tape!;
    const { x, y, rank } = this.drawing!;
    const name = group ? group.label : tape.label(ids[0]);
    const sub = group ? tn('%1 node', '%1 nodes', ids.length) : tape.nodeName(ids[0]) ? tape.op(ids[0]) : tape.note(ids[0]) || shapeText(tape.shape(ids[0]));
    const w = this.boxWidth;
    return h('g', {
      class: 'akl-box', role: 'treeitem', 'aria-level': rank[i] + 1, 'aria-label': `${name}, ${sub}`, 'aria-expanded': group ? 'false' : null, id: `akl-box-${i}`,
      transform: `translate(${(x[i] - w / 2).toFixed(1)} ${(y[i] - H / 2).toFixed(1)})`,
      on: { click: () => this.openOrSelect(i), dblclick: () => !group && this.moves.goToLine(ids[0]), pointerenter: () => this.hover(ids[0]), pointerleave: () => this.hover(null) }
    },
    group ? h('rect', { x: 3, y: 3, width: w, height: H, rx: 3, class: 'akl-box-back' }) : null,
    h('rect', { width: w, height: H, rx: 3, class: 'akl-box-face' }), h('rect', { class: 'akl-box-fwd', width: 4, height: H, rx: 1.5 }), h('path', { class: 'akl-box-rev', d: `M${w - 2} 2V${H - 2}` }),
    h('text', { x: 11, y: 15, class: 'akl-box-name' }, truncateText(name, w - 20, '600 12px system-ui')), h('text', { x: 11, y: 27, class: 'akl-box-sub' }, truncateText(sub, w - 20, '11px monospace')),
    !group && tape.flag(ids[0], 'cut') ? h('path', { class: 'akl-box-torn', d: tornEdge(w) }) : null);
  }

  private hover(node: number | null): void {
    this.s.hovered = node;
    this.s.changes.notify('hover');
  }

  private openOrSelect(i: number): void {
    const node = this.boxElements[i];
    if (node.g === null) {
      this.moves.select(node.ids[0]);
    } else {
      this.s.expanded.add(node.g);
      this.s.changes.notify('expanded');
    }
  }

  refresh(): void {
    const { s } = this;
    if (!s.tape || !this.boxGraph || !this.boxElements.length) {
      return;
    }
    const cur = s.playhead === null ? -1 : this.boxGraph.boxOf[s.playhead];
    const hov = s.hovered === null || s.hovered < 0 ? -1 : this.boxGraph.boxOf[s.hovered];
    const ins = new Set(s.playhead === null ? [] : s.tape.inputs(s.playhead).map(x => this.boxGraph!.boxOf[x]));
    const disconnected = s.explanation && !s.explanation.connected ? { reached: new Set(expandRuns(s.explanation.reached)), needed: new Set(expandRuns(s.explanation.needed)) } : null;
    this.boxElements.forEach(node => node.el.setAttribute('class', this.boxClass(node, cur, hov, disconnected)));
    for (const line of this.edgeElements) {
      const hot = line.b === cur && ins.has(line.a);
      const classes = [line.loop && 'is-loop', hot && (s.direction < 0 ? 'is-rev' : 'is-fwd'), (line.a === hov || line.b === hov) && 'is-hover'];
      line.el.setAttribute('class', ['akl-edge', ...classes.filter(Boolean)].join(' '));
    }
    this.markActive();
  }

  private boxClass(node: BoxElement, cur: number, hov: number, disconnected: { reached: Set<number>; needed: Set<number> } | null): string {
    const { s } = this;
    const tape = s.tape!;
    const group = node.g === null ? null : s.groups(this.boxGraph!.grouping)!.groups[node.g];
    const [first, last] = [node.ids[0], node.ids[node.ids.length - 1]];
    const kind = (what: 'value' | 'tangent' | 'cotangent'): number => (group ? group[what] : tape.kinds[what][first]);
    const came = (k: number): boolean => k !== KIND.NONE && k !== KIND.UNKNOWN;
    const swept = (group ? last : first) >= s.reverseEnd;
    const k = kind('cotangent');
    const single = !group;
    const classes: [string, boolean][] = [
      ['is-fwd', disconnected ? node.ids.some(i => disconnected.reached.has(i)) : s.tangents && last < s.forwardEnd && came(kind('tangent'))],
      ['is-rev', disconnected ? node.ids.some(i => disconnected.needed.has(i)) : swept && came(k)],
      ['is-nan', kind('value') === KIND.NAN || (k === KIND.NAN && swept)], ['is-none', !disconnected && k === KIND.NONE && swept], ['is-zero', k === KIND.ZERO && swept],
      ['is-now', node.i === cur], [s.direction < 0 ? 'now-rev' : 'now-fwd', node.i === cur], ['is-hover', node.i === hov], ['is-sel', single && s.selected === first],
      ['is-source', single && tape.flag(first, 's')], ['is-target', single && first === tape.header.target], ['is-torn', single && !!disconnected && s.explanation!.node === first],
      ['is-ahead', last >= s.forwardEnd], ['is-lit', node.ids.some(i => s.isHighlighted(tape.location(i)))]
    ];
    return ['akl-box', ...classes.filter(([, on]) => on).map(([name]) => name)].join(' ');
  }

  private markActive(): void {
    const i = this.current();
    this.boxElements.forEach(node => node.el.setAttribute('aria-selected', String(node.i === i && this.s.selected !== null)));
    this.svg.setAttribute('aria-activedescendant', `akl-box-${i}`);
  }

  /** The box that the keys move from. */
  private current(): number {
    const { selected, playhead } = this.s;
    const node = selected !== null && selected >= 0 ? selected : playhead;
    return Math.max(0, node === null ? 0 : (this.boxGraph?.boxOf[node] ?? 0));
  }

  // ------------------------------------------------------------ pointer and keys
  private listen(): void {
    let drag: Point | null = null;
    this.svg.addEventListener('pointerdown', e => {
      if (!(e.target as Element).closest('.akl-box')) {
        drag = [e.clientX - this.view.x, e.clientY - this.view.y];
        this.svg.setPointerCapture(e.pointerId);
      }
    });
    this.svg.addEventListener('pointermove', e => {
      if (drag) {
        Object.assign(this.view, { x: e.clientX - drag[0], y: e.clientY - drag[1] });
        this.applyTransform();
      }
    });
    this.svg.addEventListener('pointerup', () => (drag = null));
    this.svg.addEventListener('wheel', e => this.onWheel(e), { passive: false });
    this.svg.addEventListener('keydown', e => this.onKeydown(e));
  }

  private onWheel(e: WheelEvent): void {
    e.preventDefault();
    if (e.ctrlKey || e.metaKey) {
      const box = this.svg.getBoundingClientRect();
      this.zoom(e.deltaY < 0 ? 1.1 : 0.91, e.clientX - box.left, e.clientY - box.top);
    } else {
      this.view.x -= e.deltaX;
      this.view.y -= e.deltaY;
      this.applyTransform();
    }
  }

  /** What dragging and the wheel do: Shift and an arrow move the drawing, + and − scale it, 0 fits it. */
  private panOrZoom(e: KeyboardEvent): boolean {
    const along: Record<string, [number, number]> = { ArrowDown: [0, -1], ArrowUp: [0, 1], ArrowRight: [-1, 0], ArrowLeft: [1, 0] };
    const scale: Record<string, () => void> = { '+': () => this.zoom(1.25), '=': () => this.zoom(1.25), '-': () => this.zoom(0.8), 0: () => this.fit() };
    if (e.shiftKey && e.key in along) {
      this.view.x += PAN * along[e.key][0];
      this.view.y += PAN * along[e.key][1];
      this.applyTransform();
    } else if (e.key in scale && this.s.settings.characterKeys) {
      scale[e.key]();
    } else {
      return false;
    }
    e.preventDefault();
    e.stopPropagation();
    return true;
  }

  private onKeydown(e: KeyboardEvent): void {
    if (!this.boxElements.length || e.altKey || e.ctrlKey || e.metaKey || this.panOrZoom(e) || e.shiftKey) {
      return;
    }
    const i = this.current();
    const to: Record<string, () => number | undefined> = {
      ArrowDown: () => this.edgeElements.find(line => line.a === i)?.b, ArrowUp: () => this.edgeElements.find(line => line.b === i)?.a,
      ArrowRight: () => this.neighbourInRank(i, 1), ArrowLeft: () => this.neighbourInRank(i, -1)
    };
    if (e.key in to) {
      const box = to[e.key]();
      if (box !== undefined) {
        this.moves.select(this.boxElements[box].ids[0]);
        this.reveal(this.boxElements[box].ids[0]);
      }
    } else if (e.key === 'Enter') {
      this.openOrSelect(i);
    } else {
      return;
    }
    e.preventDefault();
    e.stopPropagation();
  }

  private neighbourInRank(i: number, by: number): number | undefined {
    const { rank, x } = this.drawing!;
    const row = this.boxElements.filter(node => rank[node.i] === rank[i]).sort((a, b) => x[a.i] - x[b.i]);
    return row[row.findIndex(node => node.i === i) + by]?.i;
  }

  focus(): void {
    this.svg.focus();
  }
}

/** A line from one box to another, smooth through the points between. */
function curve(from: Point, via: Point[], to: Point): string {
  let d = `M${from.map(v => v.toFixed(1)).join(' ')}`;
  let last = from;
  for (const next of [...via, to]) {
    const half = (next[1] - last[1]) / 2;
    d += ` C${last[0].toFixed(1)} ${(last[1] + half).toFixed(1)} ${next[0].toFixed(1)} ${(next[1] - half).toFixed(1)} ${next[0].toFixed(1)} ${next[1].toFixed(1)}`;
    last = next;
  }
  return d;
}

/** The torn lower edge of a box that a path ends at. */
function tornEdge(w: number): string {
  const teeth = Math.round(w / 8);
  return `M0 ${H + 4} ${Array.from({ length: teeth }, (_, i) => `l${w / teeth} ${i % 2 ? 5 : -5}`).join(' ')}`;
}
