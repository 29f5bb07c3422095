import { stale } from './link';
import { KIND } from './numbers';
import type { Row, Tape } from './tape';
import { WHATS } from './wire';

/** Summaries of values, tangents and cotangents: asked for where rows are seen, in blocks, the last seen first. */

const BLOCK = 64; // rows that are summarised together
const KEEP = 64; // blocks that are kept
const NEAR = 3; // blocks that may wait: more are not seen at once
const REST = 25; // ms between two blocks, so that fast scrolling does not flood the kernel

interface Block {
  rows: Row[];
  /** A sweep had not come to all of the rows. */
  late: boolean;
}

export class Summaries {
  private readonly blocks = new Map<number, Block>();
  private readonly missing = new Set<number>();
  private busy = false;

  constructor(private readonly tape: Tape) {}

  /** What is here now of a node, while the rest is on its way. */
  row(i: number): Row {
    const block = Math.floor(i / BLOCK);
    const here = this.blocks.get(block);
    const whole = here && !(here.late && this.tape.known.cotangent[i] !== KIND.UNKNOWN);
    if (!whole && !this.missing.has(block) && !this.tape.released) {
      this.missing.add(block);
      queueMicrotask(() => void this.fetch());
    }
    return here?.rows[i - block * BLOCK] ?? [];
  }

  /** Values and cotangents changed in the kernel: ask for them again when they are seen. */
  forget(): void {
    this.blocks.clear();
    this.missing.clear();
  }

  /** One request at a time, for the block that was asked for last: the rows that are seen now. */
  private async fetch(): Promise<void> {
    if (this.busy) {
      return;
    }
    this.busy = true;
    while (this.missing.size && !this.tape.released) {
      // Rows that were only passed by are forgotten; if they come back they ask again.
      const last = [...this.missing].slice(-NEAR);
      this.missing.clear();
      last.slice(0, -1).forEach(block => this.missing.add(block));
      if (!(await this.summarise(last[last.length - 1]))) {
        break;
      }
      await new Promise(rest => setTimeout(rest, REST));
    }
    this.missing.clear();
    this.busy = false;
  }

  private async summarise(block: number): Promise<boolean> {
    const { tape } = this;
    const a = block * BLOCK;
    const b = Math.min(tape.n, a + BLOCK);
    try {
      const { rows, late } = await tape.link.ask<Block>('tape.values', { tape: tape.id, a, b, what: WHATS });
      this.blocks.set(block, { rows, late });
    } catch (error) {
      tape.refused(error);
      return stale(error);
    }
    if (this.blocks.size > KEEP) {
      this.blocks.delete(this.blocks.keys().next().value as number);
    }
    tape.onNews('values');
    return true;
  }
}
