import { h } from '../common/dom';

const HEADER_HEIGHT = 24;
const OVERSCAN_ROWS = 4; // rows above and below what is seen
const REORDER_MS = 140; // ms after scrolling until rows stand in reading order

export interface RowElement {
  el: HTMLElement;
  version?: number;
  hidden?: boolean;
}

interface Options<R extends RowElement> {
  id: string;
  height: number;
  make: () => R;
  show: (row: R, index: number) => void;
  label: string;
  head: HTMLElement;
  role: 'treegrid' | 'grid';
}

/** A virtualized list: only visible rows exist, and their elements are recycled. */
export class VirtualRows<R extends RowElement> {
  readonly headerHeight = HEADER_HEIGHT;
  readonly el: HTMLElement;
  count = 0;
  /** Where the list is scrolled to and how tall it is, as last read: to read them while rows change costs a layout. */
  scrollTop = 0;
  viewHeight = 0;
  onPaint: () => void = () => undefined;
  private version = 0;
  private readonly pool: R[] = [];
  private readonly live = new Map<number, R>();
  private readonly sizer = h('div', { class: 'akl-rows-sizer', role: 'rowgroup' });
  private orderTimer = 0;

  constructor(private readonly o: Options<R>) {
    this.el = h('div', {
      class: 'akl-rows', role: o.role, tabIndex: 0, 'aria-label': o.label,
      on: { scroll: () => { this.measure(); this.paint(); this.restoreOrderLater(); } }
    }, h('div', { class: 'akl-rows-head', role: 'rowgroup' }, o.head), this.sizer);
    new ResizeObserver(() => { this.measure(); this.paint(); }).observe(this.el);
  }

  private measure(): void {
    this.scrollTop = this.el.scrollTop;
    this.viewHeight = this.el.clientHeight;
  }

  get height(): number {
    return this.o.height;
  }
  set height(px: number) {
    this.o.height = px;
    this.live.forEach(row => this.pool.push(row));
    this.live.clear();
    this.pool.forEach(row => (row.el.style.height = `${px}px`));
  }
  get firstRow(): number {
    return Math.floor(this.scrollTop / this.height);
  }
  get visibleRows(): number {
    return Math.ceil((this.viewHeight - this.headerHeight) / this.height);
  }

  reset(count: number): void {
    this.count = count;
    this.sizer.style.height = `${count * this.height}px`;
    this.el.setAttribute('aria-rowcount', String(count + 1));
    this.measure();
    this.restoreOrderLater();
    this.refresh();
  }

  refresh(): void {
    this.version++;
    this.paint();
  }

  /** Once scrolling rests, rows stand in the document in the order in which they are read. */
  private restoreOrderLater(): void {
    clearTimeout(this.orderTimer);
    this.orderTimer = window.setTimeout(() => {
      const inOrder = [...this.live].sort((a, b) => a[0] - b[0]).map(([, row]) => row.el);
      inOrder.forEach((el, i) => {
        if (this.sizer.children[i] !== el) {
          this.sizer.insertBefore(el, this.sizer.children[i] ?? null);
        }
      });
    }, REORDER_MS);
  }

  paint(): void {
    if (!this.el.isConnected || !this.viewHeight) {
      return;
    }
    const a = Math.max(0, this.firstRow - OVERSCAN_ROWS);
    const b = Math.min(this.count, this.firstRow + this.visibleRows + OVERSCAN_ROWS + 1);
    for (const [i, row] of this.live) {
      if (i < a || i >= b) {
        this.live.delete(i);
        this.pool.push(row);
      }
    }
    for (let i = a; i < b; i++) {
      const row = this.live.get(i) ?? this.recycle(i);
      if (row.version !== this.version) {
        this.o.show(row, i);
        row.version = this.version;
      }
    }
    this.pool.forEach(row => this.hide(row));
    this.onPaint();
  }

  private recycle(i: number): R {
    const row = this.pool.pop() ?? this.createRow();
    this.live.set(i, row);
    row.version = -1;
    row.hidden = false;
    row.el.hidden = false;
    row.el.style.transform = `translateY(${i * this.height}px)`;
    row.el.setAttribute('aria-rowindex', String(i + 2));
    row.el.id = `${this.o.id}-${i}`;
    return row;
  }

  private hide(row: R): void {
    if (!row.hidden) {
      row.hidden = true;
      row.el.hidden = true;
      row.el.removeAttribute('id');
    }
  }

  private createRow(): R {
    const row = this.o.make();
    row.el.style.height = `${this.height}px`;
    this.sizer.append(row.el);
    return row;
  }

  /** Which row is under the keys, for a screen reader; it exists once it is revealed. */
  setActiveRow(i: number): void {
    if (i >= 0 && this.live.has(i)) {
      this.el.setAttribute('aria-activedescendant', `${this.o.id}-${i}`);
    } else {
      this.el.removeAttribute('aria-activedescendant');
    }
  }

  reveal(i: number): void {
    const y = i * this.height;
    const tall = this.viewHeight - this.headerHeight;
    const margin = Math.max(0, Math.min(this.height * 4, (tall - this.height) / 2));
    const to = y < this.scrollTop + margin ? y - margin : Math.max(this.scrollTop, y + this.height + margin - tall);
    const scroll = Math.max(0, Math.min(this.count * this.height - tall, to));
    if (scroll !== this.scrollTop && tall > 0) {
      this.el.scrollTop = this.scrollTop = scroll;
      this.paint();
      this.restoreOrderLater();
    }
  }
}
