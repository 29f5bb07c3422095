import { Widget } from '@lumino/widgets';
import type { EngineState } from '../services/engineProgress';
import { button, h, icon, replaceChildren } from './dom';
import { t } from './translation';

const MEGABYTE = 1e6;

/** A line between a notebook's toolbar and its cells that tells how far Python is; it covers nothing. */
export class StartBanner extends Widget {
  private readonly bar = h<HTMLProgressElement>('progress', { max: 1, 'aria-hidden': 'true' });
  private readonly stage = h('span', { role: 'status' });
  private readonly size = h('span', { class: 'akl-quiet', 'aria-hidden': 'true' });
  private readonly waits = h('span', { class: 'akl-quiet' }, t('Cells that you run wait for it.'));

  constructor(private readonly restart: () => void) {
    super();
    this.addClass('akl');
    this.addClass('akl-start');
    this.showState(null);
  }

  showState(state: EngineState | null): void {
    if (state?.stage === 'failed') {
      const words = t('Python could not be loaded: %1. Check the connection, then try again.', state.text ?? '');
      replaceChildren(this.node, icon('warn'), h('span', { role: 'alert' }, words), button(t('Try again'), { act: this.restart }));
      return;
    }
    if (!this.bar.isConnected || this.bar.parentElement !== this.node) {
      replaceChildren(this.node, this.bar, this.stage, this.size, this.waits);
    }
    const bytes = state?.bytes ?? 0;
    const loads = state?.stage !== 'import' && !(state && bytes >= state.total);
    const words = state?.stage === 'import' ? t('Python runs and imports what a notebook needs.') : loads ? t('Python is being loaded into this page.') : t('Python starts.');
    if (this.stage.textContent !== words) {
      this.stage.textContent = words; // read out only when it changes
    }
    if (loads && bytes) {
      this.bar.value = bytes / state!.total;
    } else {
      this.bar.removeAttribute('value');
    }
    this.size.textContent = loads && bytes ? t('%1 of %2 MB', (bytes / MEGABYTE).toFixed(1), (state!.total / MEGABYTE).toFixed(1)) : '';
  }
}
