import { ILabShell, type JupyterFrontEnd, type JupyterFrontEndPlugin } from '@jupyterlab/application';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';

const LEAST_WIDTH = 480; // px of a lesson beside open side panels

type Side = 'left' | 'right';

/**
 * Folds side panels to their rail where they leave a lesson too little room: the other side when a panel opens, and
 * every side when the learner returns to the lesson. A panel that was asked for stays until then. Once there is room
 * again, what was folded opens as it was; what the learner closed stays closed.
 */
class LessonRoom {
  private open: Record<Side, boolean> = { left: false, right: false };
  /** The sides that were folded for want of room, with the width that each had. */
  private readonly folded = new Map<Side, number>();

  constructor(private readonly lab: ILabShell, private readonly lesson: () => NotebookPanel | null) {
    lab.layoutModified.connect(() => this.onLayoutModified());
    document.addEventListener('focusin', event => void (this.lesson()?.content.node.contains(event.target as Node) && this.foldBoth()));
    window.addEventListener('resize', () => requestAnimationFrame(() => void this.fit()));
  }

  private get isNarrow(): boolean {
    const lesson = this.lesson();
    return lesson !== null && lesson.isVisible && lesson.node.clientWidth < LEAST_WIDTH;
  }

  private now(): Record<Side, boolean> {
    return { left: !this.lab.leftCollapsed, right: !this.lab.rightCollapsed };
  }

  private onLayoutModified(): void {
    const before = this.open;
    this.open = this.now();
    for (const side of ['left', 'right'] as const) {
      if (this.open[side]) {
        this.folded.delete(side); // opened by hand: from now on the learner closes it
      }
    }
    if (this.isNarrow && this.open.left && this.open.right) {
      this.fold(before.right ? 'right' : 'left');
    }
  }

  private fold(side: Side): void {
    const width = document.getElementById(`jp-${side}-stack`)?.offsetWidth ?? 0;
    if (side === 'right') {
      this.lab.collapseRight();
    } else {
      this.lab.collapseLeft();
    }
    this.folded.set(side, width);
  }

  /** The window has another width. */
  private async fit(): Promise<void> {
    await this.foldBoth();
    this.unfold();
  }

  /** The right side first; the left one only if that was not enough. */
  async foldBoth(): Promise<void> {
    for (const side of ['right', 'left'] as const) {
      const holds = document.activeElement?.closest(`#jp-${side}-stack`);
      if (this.isNarrow && this.now()[side] && !holds) {
        this.fold(side);
        await new Promise(requestAnimationFrame);
      }
    }
  }

  /** The left side first, with the syllabus; the right one if there is room for both. */
  private unfold(): void {
    const lesson = this.lesson();
    if (!lesson?.isVisible) {
      return; // the room of other notebooks is their reader's affair
    }
    for (const side of ['left', 'right'] as const) {
      const width = this.folded.get(side);
      if (width !== undefined && lesson.node.clientWidth - width >= LEAST_WIDTH) {
        if (side === 'right') {
          this.lab.expandRight();
        } else {
          this.lab.expandLeft();
        }
      }
    }
  }
}

/** The lesson or exercise in front; other notebooks keep their panels as they are. */
function lessonInFront(tracker: INotebookTracker): NotebookPanel | null {
  const panel = tracker.currentWidget;
  return panel?.model?.getMetadata('autodiff_kit') ? panel : null;
}

const plugin: JupyterFrontEndPlugin<void> = {
  id: 'autodiff-kit:lesson-room',
  description: 'Folds the side panels where they leave a lesson too little room.',
  autoStart: true,
  requires: [INotebookTracker],
  optional: [ILabShell],
  activate: (app: JupyterFrontEnd, tracker: INotebookTracker, lab: ILabShell | null) => {
    if (!lab) {
      return; // Notebook 7 lays its panels over the notebook
    }
    const room = new LessonRoom(lab, () => lessonInFront(tracker));
    tracker.currentChanged.connect((_, panel) => void panel?.revealed.then(() => room.foldBoth()));
    void app.restored.then(() => room.foldBoth());
  }
};
export default plugin;
