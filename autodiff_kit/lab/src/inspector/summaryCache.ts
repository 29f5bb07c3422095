import { KIND } from './valueFormat';
import { isSuperseded, QUANTITIES, type NodeSummaries, type Quantity, type RequestChannel, type ValuesReply } from '../services/protocol';

/** Cache of value summaries: requested for visible rows, in blocks, the last visible first. */

const BLOCK_ROWS = 64; // rows that are summarised together
const MAX_BLOCKS = 64; // blocks that are kept
const MAX_QUEUED = 3; // blocks that may wait: more are not seen at once
const PAUSE_MS = 25; // ms between two blocks, so that fast scrolling does not flood the kernel

interface SummaryBlock {
  rows: NodeSummaries[];
  /** A sweep had not come to all of the rows. */
  incomplete: boolean;
}

/** What the cache needs of its tape. */
interface SummarizedTape {
  readonly id: string;
  readonly n: number;
  readonly channel: RequestChannel;
  readonly kinds: Record<Quantity, Uint8Array>;
  readonly gone: boolean;
  recordError(error: unknown): void;
  onUpdate(what: 'values'): void;
}

export class SummaryCache {
  private readonly blocks = new Map<number, SummaryBlock>();
  private readonly missing = new Set<number>();
  private busy = false;

  constructor(private readonly tape: SummarizedTape) {}

  /** What is here now of a node, while the rest is on its way. */
  summaries(i: number): NodeSummaries {
    const block = Math.floor(i / BLOCK_ROWS);
    const here = this.blocks.get(block);
    const whole = here && !(here.incomplete && this.tape.kinds.cotangent[i] !== KIND.UNKNOWN);
    if (!whole && !this.missing.has(block) && !this.tape.gone) {
      this.missing.add(block);
      queueMicrotask(() => void this.fetchMissing());
    }
    return here?.rows[i - block * BLOCK_ROWS] ?? [];
  }

  /** Values and cotangents changed in the kernel: ask for them again when they are seen. */
  clear(): void {
    this.blocks.clear();
    this.missing.clear();
  }

  /** One request at a time, for the block that was asked for last: the rows that are seen now. */
  private async fetchMissing(): Promise<void> {
    if (this.busy) {
      return;
    }
    this.busy = true;
    while (this.missing.size && !this.tape.gone) {
      // Rows that were only passed by are forgotten; if they come back they ask again.
      const last = [...this.missing].slice(-MAX_QUEUED);
      this.missing.clear();
      last.slice(0, -1).forEach(block => this.missing.add(block));
      if (!(await this.fetchBlock(last[last.length - 1]))) {
        break;
      }
      await new Promise(rest => setTimeout(rest, PAUSE_MS));
    }
    this.missing.clear();
    this.busy = false;
  }

  private async fetchBlock(block: number): Promise<boolean> {
    const { tape } = this;
    const a = block * BLOCK_ROWS;
    const b = Math.min(tape.n, a + BLOCK_ROWS);
    try {
      const { rows, late } = await tape.channel.request<ValuesReply>('tape.values', { tape: tape.id, a, b, what: QUANTITIES });
      this.blocks.set(block, { rows, incomplete: late });
    } catch (error) {
      tape.recordError(error);
      return isSuperseded(error);
    }
    if (this.blocks.size > MAX_BLOCKS) {
      this.blocks.delete(this.blocks.keys().next().value as number);
    }
    tape.onUpdate('values');
    return true;
  }
}
