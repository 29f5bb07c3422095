import { ILabShell, type JupyterFrontEnd, type JupyterFrontEndPlugin } from '@jupyterlab/application';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';

const LEAST_WIDTH = 480; // px of a lesson beside open side panels

/**
 * Folds side panels to their rail where they leave a lesson too little room: the other side when a panel opens, and
 * every side when the learner returns to the lesson. A panel that was asked for stays until then.
 */
class LessonRoom {
  private open = { left: false, right: false };

  constructor(private readonly lab: ILabShell, private readonly lesson: () => NotebookPanel | null) {
    lab.layoutModified.connect(() => this.foldOtherSide());
    document.addEventListener('focusin', event => void (this.lesson()?.content.node.contains(event.target as Node) && this.foldBoth()));
    window.addEventListener('resize', () => requestAnimationFrame(() => void this.foldBoth()));
  }

  private get isNarrow(): boolean {
    const lesson = this.lesson();
    return lesson !== null && lesson.isVisible && lesson.node.clientWidth < LEAST_WIDTH;
  }

  private now(): { left: boolean; right: boolean } {
    return { left: !this.lab.leftCollapsed, right: !this.lab.rightCollapsed };
  }

  private foldOtherSide(): void {
    const before = this.open;
    this.open = this.now();
    if (this.isNarrow && this.open.left && this.open.right) {
      if (before.right) {
        this.lab.collapseRight();
      } else {
        this.lab.collapseLeft();
      }
    }
  }

  /** The right side first; the left one only if that was not enough. */
  async foldBoth(): Promise<void> {
    for (const side of ['right', 'left'] as const) {
      const holds = document.activeElement?.closest(`#jp-${side}-stack`);
      if (this.isNarrow && this.now()[side] && !holds) {
        if (side === 'right') {
          this.lab.collapseRight();
        } else {
          this.lab.collapseLeft();
        }
        await new Promise(requestAnimationFrame);
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
