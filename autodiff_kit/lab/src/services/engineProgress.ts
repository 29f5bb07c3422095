/** How far Python is on its way into this page, as the site's worker tells it (`website/kernel/start.mjs`). */

const CHANNEL = 'autodiff-kit:python';

export interface EngineState {
  id: string;
  stage: 'download' | 'import' | 'failed';
  total: number;
  bytes?: number;
  text?: string;
}

/** Follows one worker at a time: pages of other tabs tell their news on the same channel. */
export class EngineProgress {
  /** Called after each piece of news. */
  readonly listeners = new Set<() => void>();
  private followed = '';
  private last: EngineState | null = null;

  constructor(channel: Pick<BroadcastChannel, 'onmessage'> = new BroadcastChannel(CHANNEL)) {
    channel.onmessage = ({ data }: { data: EngineState }) => this.receive(data);
  }

  /** What was heard last; null before anything was. */
  get state(): EngineState | null {
    return this.last;
  }

  /** Python runs: the next worker that is heard is another one. */
  forget(): void {
    this.followed = '';
    this.last = null;
  }

  private receive(state: EngineState): void {
    this.followed ||= state.id;
    if (state.id === this.followed) {
      this.followed = state.stage === 'failed' ? '' : state.id;
      this.last = state;
      this.listeners.forEach(act => act());
    }
  }
}
