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
    for (const part of parts) {
      numbersOf(part.arity, part.b - part.a).forEach((many, k) => (this.pointers[part.a + k + 1] = this.pointers[part.a + k] + many));
    }
    this.list = new Int32Array(this.pointers[n]);
    parts.forEach(({ a, b, inputs }) => this.list.set(numbersOf(inputs, this.pointers[b] - this.pointers[a]), this.pointers[a]));
    this.flags = flagged(head, this.short.op);
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
    parts.forEach(part => whole.set(numbersOf(part[name], part.b - part.a), part.a));
    return whole;
  };
  return Object.fromEntries(names.map(name => [name, column(name)])) as Record<Short, Int32Array>;
}

/** So many numbers of a column, whose width the length of the text tells. */
export function numbersOf(text: string, many: number): Uint8Array | Uint16Array | Uint32Array {
  const bytes = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
  const width = bytes.length / (many || 1);
  return width === 4 ? new Uint32Array(bytes.buffer) : width === 2 ? new Uint16Array(bytes.buffer) : bytes;
}

/** The head names a flag of each row that has one, constants excepted: their operation says it. */
function flagged(head: Head, op: Int32Array): Uint8Array {
  const constant = head.tables.op.indexOf('constant');
  const flags = Uint8Array.from(op, k => (k === constant ? FLAGS.k : 0));
  for (const [i, letters] of Object.entries(head.flags)) {
    [...letters].forEach(f => (flags[+i] |= FLAGS[f as Flag] ?? 0));
  }
  Object.keys(head.broken).forEach(i => (flags[+i] |= FLAGS.cut));
  return flags;
}
