import type { Columns, Costs, Head } from './wire';

/** The record of a tape in typed arrays: small integers into the head's tables, one a node and a column. */

const SHORT = ['op', 'shape', 'dtype', 'line', 'module'] as const;
const COSTS = ['flops', 'flops_back', 'bytes'] as const;
type Short = (typeof SHORT)[number];
type Cost = (typeof COSTS)[number];

const FLAGS = { s: 1, k: 2, f: 4, cut: 8 };
/** s source, k constant, f frozen, cut: a path ends here. */
export type Flag = keyof typeof FLAGS;

export class Arrays {
  readonly short: Record<Short, Int32Array>;
  /** Operations and bytes; zeros until they were asked for. */
  readonly cost: Record<Cost, Float64Array>;
  private readonly pointers: Int32Array;
  private readonly list: Int32Array;
  private readonly flags: Uint8Array;
  private reading: { ptr: Int32Array; list: Int32Array } | null = null;

  constructor(head: Head, parts: Columns[]) {
    const { n } = head;
    this.short = joined(SHORT, parts, n);
    this.cost = { flops: new Float64Array(n), flops_back: new Float64Array(n), bytes: new Float64Array(n) };
    this.pointers = new Int32Array(n + 1);
    this.list = new Int32Array(parts.reduce((sum, part) => sum + part.inputs.length, 0));
    let base = 0;
    for (const part of parts) {
      this.list.set(part.inputs, base);
      part.inputs_ptr.forEach((p, k) => (this.pointers[part.a + k] = base + p));
      base += part.inputs.length;
    }
    this.flags = flagged(head);
  }

  flag(i: number, f: Flag): boolean {
    return (this.flags[i] & FLAGS[f]) !== 0;
  }

  inputs(i: number): number[] {
    return [...this.list.subarray(this.pointers[i], this.pointers[i + 1])];
  }

  /** The nodes that read node i. */
  readers(i: number): number[] {
    const { ptr, list } = (this.reading ??= this.turned());
    return [...list.subarray(ptr[i], ptr[i + 1])];
  }

  private turned(): { ptr: Int32Array; list: Int32Array } {
    const { list: inputs, pointers: from } = this;
    const n = from.length - 1;
    const ptr = new Int32Array(n + 1);
    inputs.forEach(x => ptr[x + 1]++);
    for (let i = 0; i < n; i++) {
      ptr[i + 1] += ptr[i];
    }
    const at = ptr.slice();
    const list = new Int32Array(inputs.length);
    for (let i = 0; i < n; i++) {
      for (let j = from[i]; j < from[i + 1]; j++) {
        list[at[inputs[j]]++] = i;
      }
    }
    return { ptr, list };
  }

  learn(part: Costs): void {
    COSTS.forEach(name => this.cost[name].set(part[name], part.a));
  }
}

function joined(names: readonly Short[], parts: Columns[], n: number): Record<Short, Int32Array> {
  const column = (name: Short): Int32Array => {
    const whole = new Int32Array(n);
    parts.forEach(part => whole.set(part[name], part.a));
    return whole;
  };
  return Object.fromEntries(names.map(name => [name, column(name)])) as Record<Short, Int32Array>;
}

function flagged(head: Head): Uint8Array {
  const flags = new Uint8Array(head.n);
  for (const [i, letters] of Object.entries(head.flags)) {
    [...letters].forEach(f => (flags[+i] |= FLAGS[f as Flag] ?? 0));
  }
  Object.keys(head.broken).forEach(i => (flags[+i] |= FLAGS.cut));
  return flags;
}
