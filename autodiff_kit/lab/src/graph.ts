import { boxes, type Boxes } from './boxes';
import { button, clip, fill, h } from './dom';
import { type Drawing, layered, type Point } from './layout';
import { KIND, shapeText } from './numbers';
import { save } from './save';
import type { Moves, State, View } from './state';
import { count, t, tn } from './text';
import { unrun } from './tape';

const H = 34;
const WIDE = { line: 158, module: 112, none: 112 };
const PAN = 48; // px that Shift and an arrow move the drawing
const ZOOM = { least: 0.12, most: 2.5, read: 0.62 };

interface Node {
  el: HTMLElement;
  ids: number[];
  g: number | null;
  i: number;
}
interface Line {
  a: number;
  b: number;
  loop: boolean;
  el: HTMLElement;
}

/** The tape as a drawing: boxes in tape order, the same colours and the same head as the table. */
export function graphView(s: State, moves: Moves): View & { save(kind: 'svg' | 'png'): void } {
  return new Graph(s, moves);
}

class Graph implements View {
  readonly el: HTMLElement;
  private readonly scene = h('g');
  private readonly svg = h('svg', { class: 'akl-graph-svg', role: 'tree', tabIndex: '0', tabindex: '0', 'aria-label': t('Tape as a graph') }, this.scene);
  private readonly note = h('div', { class: 'akl-graph-note' });
  private made: Boxes | null = null;
  private drawing: Drawing | null = null;
  private nodes: Node[] = [];
  private lines: Line[] = [];
  private key = '';
  private at = { x: 0, y: 0, k: 1 };
  private wide = 112;

  constructor(private readonly s: State, private readonly moves: Moves) {
    const tool = (label: string, ic: string, act: () => void, key?: string): HTMLElement => button(label, { ic, act, key });
    this.el = h('div', { class: 'akl-graph' }, this.svg, this.note, h('div', { class: 'akl-graph-tools' },
      tool(t('Zoom in'), 'plus', () => this.zoom(1.25), '+'), tool(t('Zoom out'), 'minus', () => this.zoom(0.8), '-'), tool(t('Fit'), 'fit', () => this.fit(), '0'),
      tool(t('Save as SVG'), 'save', () => this.save('svg')), tool(t('Save as PNG'), 'out', () => this.save('png'))));
    this.listen();
  }

  /** Write the whole drawing to a file. */
  save(kind: 'svg' | 'png'): void {
    if (this.drawing && this.s.tape) {
      void save(this.scene, this.drawing.width, this.drawing.height, this.s.tape.head.title || this.s.tape.id, kind);
    }
  }

  // ------------------------------------------------------------ what is seen of it
  private apply(): void {
    this.scene.setAttribute('transform', `translate(${this.at.x.toFixed(1)} ${this.at.y.toFixed(1)}) scale(${this.at.k.toFixed(3)})`);
  }

  private zoom(by: number, cx = this.el.clientWidth / 2, cy = this.el.clientHeight / 2): void {
    const k = Math.max(ZOOM.least, Math.min(ZOOM.most, this.at.k * by));
    const grow = k / this.at.k;
    this.at = { k, x: cx - (cx - this.at.x) * grow, y: cy - (cy - this.at.y) * grow };
    this.apply();
  }

  private fit(): void {
    const { el, drawing } = this;
    if (!drawing || !drawing.width) {
      return;
    }
    const tall = (el.clientHeight - 24) / drawing.height;
    const k = Math.min(1, (el.clientWidth - 24) / drawing.width, Math.max(tall, 0.85));
    this.at = { k: Math.max(k, ZOOM.read), x: 0, y: 12 };
    this.at.x = (el.clientWidth - drawing.width * this.at.k) / 2;
    if (k < ZOOM.read || tall < this.at.k) {
      this.centre(this.s.why?.node ?? this.s.cur ?? this.s.tape!.target);
    } else {
      this.apply();
    }
  }

  private centre(node: number): void {
    const box = this.made?.at[node] ?? -1;
    const drawing = this.drawing!;
    if (box >= 0) {
      const along = (room: number, size: number, at: number): number => {
        const last = room - size * this.at.k - 12;
        return last > 12 ? (room - size * this.at.k) / 2 : Math.min(12, Math.max(last, room / 2 - at * this.at.k));
      };
      this.at.x = along(this.el.clientWidth, drawing.width, drawing.x[box]);
      this.at.y = along(this.el.clientHeight, drawing.height, drawing.y[box]);
    }
    this.apply();
  }

  reveal(node: number): void {
    const box = this.made?.at[node] ?? -1;
    if (box < 0 || !this.drawing) {
      if (this.made && this.made.all > this.made.list.length) {
        this.build();
      }
      return;
    }
    const x = this.drawing.x[box] * this.at.k + this.at.x;
    const y = this.drawing.y[box] * this.at.k + this.at.y;
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
    const key = [s.tape.id, s.tape.head.at, s.tape.n, s.collapse, s.settings.graphMost, ...s.expanded].join();
    const seen = this.made && (s.cur === null || this.made.at[s.cur] >= 0 || s.tape.flag(s.cur, 'k'));
    if (key !== this.key || !seen) {
      this.key = key;
      this.made = boxes(s, s.settings.graphMost);
      this.wide = WIDE[this.made.by];
      this.drawing = layered(this.made.list.length, this.made.edges, { w: this.wide, h: H, gapX: 14, gapY: 26 });
      this.draw();
    }
    this.refresh();
  }

  private draw(): void {
    const made = this.made!;
    const { x, y, paths } = this.drawing!;
    this.lines = paths.map(([a, b, via], q) => ({ a, b, loop: made.loops.has(q), el: h('path', { class: 'akl-edge', d: curve([x[a], y[a] + H / 2], via, [x[b], y[b] - H / 2]) }) }));
    this.nodes = made.list.map((box, i) => ({ el: this.box(i), ids: box.ids, g: box.group?.g ?? null, i }));
    fill(this.scene, h('g', { role: 'presentation' }, this.lines.map(line => line.el)), this.nodes.map(node => node.el));
    fill(this.note, this.noted(made));
    requestAnimationFrame(() => this.fit());
  }

  private noted(made: Boxes): string {
    const parts = [tn('%1 box', '%1 boxes', made.list.length)];
    if (made.all > made.list.length) {
      parts[0] = t('The %1 boxes around the head, of %2', count(made.list.length), count(made.all));
    } else if (made.by !== this.s.collapse) {
      parts[0] = made.by === 'line' ? t('Collapsed by line: %1 nodes in %2 boxes', count(this.s.tape!.n), count(made.list.length)) : t('Collapsed by module: %1 nodes in %2 boxes', count(this.s.tape!.n), count(made.list.length));
    }
    if (made.by !== 'none') {
      parts.push(t('Enter opens a box'));
    }
    if (made.loops.size) {
      parts.push(t('dotted: into the next round'));
    }
    return parts.join(' · ');
  }

  private box(i: number): HTMLElement {
    const { group, ids } = this.made!.list[i];
    const tape = this.s.tape!;
    const { x, y, rank } = this.drawing!;
    const name = group ? group.label : tape.label(ids[0]);
    const sub = group ? tn('%1 node', '%1 nodes', ids.length) : tape.nodeName(ids[0]) ? tape.op(ids[0]) : tape.note(ids[0]) || shapeText(tape.shape(ids[0]));
    const w = this.wide;
    return h('g', {
      class: 'akl-box', role: 'treeitem', 'aria-level': rank[i] + 1, 'aria-label': `${name}, ${sub}`, 'aria-expanded': group ? 'false' : null, id: `akl-box-${i}`,
      transform: `translate(${(x[i] - w / 2).toFixed(1)} ${(y[i] - H / 2).toFixed(1)})`,
      on: { click: () => this.enter(i), dblclick: () => !group && this.moves.line(ids[0]), pointerenter: () => this.hover(ids[0]), pointerleave: () => this.hover(null) }
    },
    group ? h('rect', { x: 3, y: 3, width: w, height: H, rx: 3, class: 'akl-box-back' }) : null,
    h('rect', { width: w, height: H, rx: 3, class: 'akl-box-face' }), h('rect', { class: 'akl-box-fwd', width: 4, height: H, rx: 1.5 }), h('path', { class: 'akl-box-rev', d: `M${w - 2} 2V${H - 2}` }),
    h('text', { x: 11, y: 15, class: 'akl-box-name' }, clip(name, w - 20, '600 12px system-ui')), h('text', { x: 11, y: 27, class: 'akl-box-sub' }, clip(sub, w - 20, '11px monospace')),
    !group && tape.flag(ids[0], 'cut') ? h('path', { class: 'akl-box-torn', d: torn(w) }) : null);
  }

  private hover(node: number | null): void {
    this.s.hover = node;
    this.s.changes.tell('hover');
  }

  private enter(i: number): void {
    const node = this.nodes[i];
    if (node.g === null) {
      this.moves.choose(node.ids[0]);
    } else {
      this.s.expanded.add(node.g);
      this.s.changes.tell('expanded');
    }
  }

  refresh(): void {
    const { s } = this;
    if (!s.tape || !this.made || !this.nodes.length) {
      return;
    }
    const cur = s.cur === null ? -1 : this.made.at[s.cur];
    const hov = s.hover === null || s.hover < 0 ? -1 : this.made.at[s.hover];
    const ins = new Set(s.cur === null ? [] : s.tape.inputs(s.cur).map(x => this.made!.at[x]));
    const shores = s.why && !s.why.connected ? { reached: new Set(unrun(s.why.reached)), needed: new Set(unrun(s.why.needed)) } : null;
    this.nodes.forEach(node => node.el.setAttribute('class', this.looks(node, cur, hov, shores)));
    for (const line of this.lines) {
      const hot = line.b === cur && ins.has(line.a);
      const classes = [line.loop && 'is-loop', hot && (s.dir < 0 ? 'is-rev' : 'is-fwd'), (line.a === hov || line.b === hov) && 'is-hover'];
      line.el.setAttribute('class', ['akl-edge', ...classes.filter(Boolean)].join(' '));
    }
    this.active();
  }

  private looks(node: Node, cur: number, hov: number, shores: { reached: Set<number>; needed: Set<number> } | null): string {
    const { s } = this;
    const tape = s.tape!;
    const group = node.g === null ? null : s.groups(this.made!.by)!.groups[node.g];
    const [first, last] = [node.ids[0], node.ids[node.ids.length - 1]];
    const kind = (what: 'value' | 'tangent' | 'cotangent'): number => (group ? group[what] : tape.known[what][first]);
    const came = (k: number): boolean => k !== KIND.NONE && k !== KIND.UNKNOWN;
    const swept = (group ? last : first) >= s.r;
    const k = kind('cotangent');
    const single = !group;
    const classes: [string, boolean][] = [
      ['is-fwd', shores ? node.ids.some(i => shores.reached.has(i)) : s.tangents && last < s.f && came(kind('tangent'))],
      ['is-rev', shores ? node.ids.some(i => shores.needed.has(i)) : swept && came(k)],
      ['is-nan', kind('value') === KIND.NAN || (k === KIND.NAN && swept)], ['is-none', !shores && k === KIND.NONE && swept], ['is-zero', k === KIND.ZERO && swept],
      ['is-now', node.i === cur], [s.dir < 0 ? 'now-rev' : 'now-fwd', node.i === cur], ['is-hover', node.i === hov], ['is-sel', single && s.sel === first],
      ['is-source', single && tape.flag(first, 's')], ['is-target', single && first === tape.head.target], ['is-torn', single && !!shores && s.why!.node === first],
      ['is-ahead', last >= s.f], ['is-lit', node.ids.some(i => s.lit(tape.place(i)))]
    ];
    return ['akl-box', ...classes.filter(([, on]) => on).map(([name]) => name)].join(' ');
  }

  private active(): void {
    const i = this.current();
    this.nodes.forEach(node => node.el.setAttribute('aria-selected', String(node.i === i && this.s.sel !== null)));
    this.svg.setAttribute('aria-activedescendant', `akl-box-${i}`);
  }

  /** The box that the keys move from. */
  private current(): number {
    const { sel, cur } = this.s;
    const node = sel !== null && sel >= 0 ? sel : cur;
    return Math.max(0, node === null ? 0 : (this.made?.at[node] ?? 0));
  }

  // ------------------------------------------------------------ pointer and keys
  private listen(): void {
    let drag: Point | null = null;
    this.svg.addEventListener('pointerdown', e => {
      if (!(e.target as Element).closest('.akl-box')) {
        drag = [e.clientX - this.at.x, e.clientY - this.at.y];
        this.svg.setPointerCapture(e.pointerId);
      }
    });
    this.svg.addEventListener('pointermove', e => {
      if (drag) {
        Object.assign(this.at, { x: e.clientX - drag[0], y: e.clientY - drag[1] });
        this.apply();
      }
    });
    this.svg.addEventListener('pointerup', () => (drag = null));
    this.svg.addEventListener('wheel', e => this.wheel(e), { passive: false });
    this.svg.addEventListener('keydown', e => this.pressed(e));
  }

  private wheel(e: WheelEvent): void {
    e.preventDefault();
    if (e.ctrlKey || e.metaKey) {
      const box = this.svg.getBoundingClientRect();
      this.zoom(e.deltaY < 0 ? 1.1 : 0.91, e.clientX - box.left, e.clientY - box.top);
    } else {
      this.at.x -= e.deltaX;
      this.at.y -= e.deltaY;
      this.apply();
    }
  }

  /** What dragging and the wheel do: Shift and an arrow move the drawing, + and − scale it, 0 fits it. */
  private moved(e: KeyboardEvent): boolean {
    const along: Record<string, [number, number]> = { ArrowDown: [0, -1], ArrowUp: [0, 1], ArrowRight: [-1, 0], ArrowLeft: [1, 0] };
    const scale: Record<string, () => void> = { '+': () => this.zoom(1.25), '=': () => this.zoom(1.25), '-': () => this.zoom(0.8), 0: () => this.fit() };
    if (e.shiftKey && e.key in along) {
      this.at.x += PAN * along[e.key][0];
      this.at.y += PAN * along[e.key][1];
      this.apply();
    } else if (e.key in scale && this.s.settings.characterKeys) {
      scale[e.key]();
    } else {
      return false;
    }
    e.preventDefault();
    e.stopPropagation();
    return true;
  }

  private pressed(e: KeyboardEvent): void {
    if (!this.nodes.length || e.altKey || e.ctrlKey || e.metaKey || this.moved(e) || e.shiftKey) {
      return;
    }
    const i = this.current();
    const to: Record<string, () => number | undefined> = {
      ArrowDown: () => this.lines.find(line => line.a === i)?.b, ArrowUp: () => this.lines.find(line => line.b === i)?.a,
      ArrowRight: () => this.beside(i, 1), ArrowLeft: () => this.beside(i, -1)
    };
    if (e.key in to) {
      const box = to[e.key]();
      if (box !== undefined) {
        this.moves.choose(this.nodes[box].ids[0]);
        this.reveal(this.nodes[box].ids[0]);
      }
    } else if (e.key === 'Enter') {
      this.enter(i);
    } else {
      return;
    }
    e.preventDefault();
    e.stopPropagation();
  }

  private beside(i: number, by: number): number | undefined {
    const { rank, x } = this.drawing!;
    const row = this.nodes.filter(node => rank[node.i] === rank[i]).sort((a, b) => x[a.i] - x[b.i]);
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
function torn(w: number): string {
  const teeth = Math.round(w / 8);
  return `M0 ${H + 4} ${Array.from({ length: teeth }, (_, i) => `l${w / teeth} ${i % 2 ? 5 : -5}`).join(' ')}`;
}
