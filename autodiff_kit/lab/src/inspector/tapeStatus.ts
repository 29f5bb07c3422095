import { Widget } from '@lumino/widgets';
import { h } from '../common/dom';
import { t, tn } from '../common/translation';
import type { Tape } from './tape';

/** The item of the status bar: how many nodes the tape has; a click opens the inspector. */
export class TapeStatus extends Widget {
  private readonly button = h<HTMLButtonElement>('button', { type: 'button', class: 'akl-status', title: t('Open the tape inspector') });
  private tape: Tape | null = null;

  constructor(open: () => void) {
    super();
    this.button.addEventListener('click', open);
    this.node.append(this.button);
  }

  /** Show this tape; true where it is another one than before. */
  setTape(tape: Tape | null): boolean {
    if (tape === this.tape) {
      return false;
    }
    this.tape = tape;
    this.button.textContent = tape ? tn('tape: %1 node', 'tape: %1 nodes', tape.n) : '';
    return true;
  }
}
