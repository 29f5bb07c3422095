// A kernel that plays back what a real one answered.
import { readFileSync } from 'node:fs';
import { Tape } from '../../../autodiff_kit/lab/src/inspector/tape.ts';

type Answers = Record<string, any>;

export const recorded = (name: string): Answers => JSON.parse(readFileSync(new URL(`./recorded/${name}.json`, import.meta.url), 'utf8'));

export class RecordedKernel {
  asked: [string, any][] = [];
  constructor(readonly answers: Answers) {}

  async request<T>(ask: string, args: any = {}): Promise<T> {
    this.asked.push([ask, args]);
    const answer = this.answers[ask];
    if (ask === 'tape.values') {
      return { ...answer, rows: answer.rows.slice(args.a, args.b) } as T;
    }
    return (typeof answer === 'function' ? answer(args) : structuredClone(answer)) as T;
  }
}

export async function open(name: string): Promise<{ tape: Tape; kernel: RecordedKernel }> {
  const kernel = new RecordedKernel(recorded(name));
  const tape = await Tape.open(kernel, 't1');
  await tape.loadCostsAndKinds();
  return { tape, kernel };
}

export const later = (ms = 0): Promise<void> => new Promise(done => setTimeout(done, ms));
