import type { ColumnChunk, CostChunk, TapeHeader } from '../services/protocol';

/** A tape's columns in typed arrays: for each node, indices into the header's tables. */

const TABLE_COLUMNS = ['op', 'shape', 'dtype', 'line', 'module'] as const;
const COSTS = ['flops', 'flops_back', 'bytes'] as const;
type TableColumn = (typeof TABLE_COLUMNS)[number];
type CostColumn = (typeof COSTS)[number];

const FLAGS = { s: 1, k: 2, f: 4, cut: 8 };
/** s source, k constant, f frozen, cut: a path ends here. */
export type Flag = keyof typeof FLAGS;

export class TapeColumns {
  readonly tableColumns: Record<TableColumn, Int32Array>;
  /** Operations and bytes; zeros until they were asked for. */
  readonly cost: Record<CostColumn, Float64Array>;
  private readonly pointers: Int32Array;
  private readonly list: Int32Array;
  private readonly flags: Uint8Array;
  private consumerIndex: { ptr: Int32Array; list: Int32Array } | null = null;

  constructor(head: TapeHeader, parts: ColumnChunk[]) {
    const { n } = head;
    this.tableColumns = joinChunks(TABLE_COLUMNS, parts, n);
    this.cost = { flops: new Float64Array(n), flops_back: new Float64Array(n), bytes: new Float64Array(n) };
    this.pointers = new Int32Array(n + 1);
    for (const part of parts) {
      decodeIntegers(part.arity, part.b - part.a).forEach((many, k) => (this.pointers[part.a + k + 1] = this.pointers[part.a + k] + many));
    }
    this.list = new Int32Array(this.pointers[n]);
    parts.forEach(({ a, b, inputs }) => this.list.set(decodeIntegers(inputs, this.pointers[b] - this.pointers[a]), this.pointers[a]));
    this.flags = decodeFlags(head, this.tableColumns.op);
  }

  flag(i: number, f: Flag): boolean {
    return (this.flags[i] & FLAGS[f]) !== 0;
  }

  inputs(i: number): number[] {
    return [...this.list.subarray(this.pointers[i], this.pointers[i + 1])];
  }

  /** The nodes that read node i. */
  consumers(i: number): number[] {
    const { ptr, list } = (this.consumerIndex ??= this.invertInputs());
    return [...list.subarray(ptr[i], ptr[i + 1])];
  }

  private invertInputs(): { ptr: Int32Array; list: Int32Array } {
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

  addCosts(part: CostChunk): void {
    COSTS.forEach(name => this.cost[name].set(part[name], part.a));
  }
}

function joinChunks(names: readonly TableColumn[], parts: ColumnChunk[], n: number): Record<TableColumn, Int32Array> {
  const column = (name: TableColumn): Int32Array => {
    const whole = new Int32Array(n);
    parts.forEach(part => whole.set(decodeIntegers(part[name], part.b - part.a), part.a));
    return whole;
  };
  return Object.fromEntries(names.map(name => [name, column(name)])) as Record<TableColumn, Int32Array>;
}

/** Decode a base64 column of `many` integers; the length gives their width. */
export function decodeIntegers(text: string, many: number): Uint8Array | Uint16Array | Uint32Array {
  const bytes = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
  const width = bytes.length / (many || 1);
  return width === 4 ? new Uint32Array(bytes.buffer) : width === 2 ? new Uint16Array(bytes.buffer) : bytes;
}

/** Flags of all rows: those in the header, and constants, which their operation tells. */
function decodeFlags(head: TapeHeader, op: Int32Array): Uint8Array {
  const constant = head.tables.op.indexOf('constant');
  const flags = Uint8Array.from(op, k => (k === constant ? FLAGS.k : 0));
  for (const [i, letters] of Object.entries(head.flags)) {
    [...letters].forEach(f => (flags[+i] |= FLAGS[f as Flag] ?? 0));
  }
  Object.keys(head.broken).forEach(i => (flags[+i] |= FLAGS.cut));
  return flags;
}
