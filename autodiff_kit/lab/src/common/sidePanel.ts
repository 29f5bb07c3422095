import { Message } from '@lumino/messaging';
import { LabIcon } from '@jupyterlab/ui-components';
import { Widget } from '@lumino/widgets';
import { ownLanguage } from './translation';

/** Where the style sheet asks for another least width. */
const WIDE_WINDOW = matchMedia('(min-width: 1100px)');

const MIN_WINDOW = 900; // px of the window from which a panel may open by itself beside the notebook

/** Whether a panel that opens by itself leaves room for the notebook. */
export const hasRoomBeside = (): boolean => window.innerWidth >= MIN_WINDOW;

/** A widget of the side bars around one panel; it takes the focus only where a command asked for that. */
export class SidePanel extends Widget {
  private focusOnActivate: (() => void) | null = null;
  onShown: () => void = () => undefined;
  onHidden: () => void = () => undefined;

  constructor(id: string, label: string, icon: LabIcon, readonly content: HTMLElement) {
    super();
    this.id = id;
    this.title.icon = icon;
    this.title.caption = label;
    this.addClass('akl-panel');
    this.node.setAttribute('role', 'region');
    this.node.setAttribute('aria-label', label);
    const spoken = ownLanguage(document.documentElement.lang);
    if (spoken) {
      this.node.lang = spoken;
    }
    this.node.append(content);
    WIDE_WINDOW.addEventListener('change', () => this.refitParents());
  }

  /** Bring the panel into view and focus what it offers first, or something else in it. */
  activateWithFocus(shell: { activateById(id: string): void }, focus = () => this.focusFirst()): void {
    this.focusOnActivate = focus;
    shell.activateById(this.id);
  }

  private focusFirst(): void {
    const first = this.content.querySelector<HTMLElement>('[role="treegrid"], [role="treeitem"][tabindex="0"], [role="listitem"], .akl-primary');
    (first ?? this.content).focus({ preventScroll: true });
  }

  /** What holds the panel has remembered another least width: each of them asks again. */
  private refitParents(): void {
    for (let holder = this.parent; holder; holder = holder.parent) {
      holder.fit();
    }
  }

  protected override onAfterShow(message: Message): void {
    super.onAfterShow(message);
    this.refitParents();
    this.onShown();
  }
  protected override onAfterAttach(message: Message): void {
    super.onAfterAttach(message);
    if (this.isVisible) {
      this.onShown();
    }
  }
  protected override onAfterHide(message: Message): void {
    super.onAfterHide(message);
    this.onHidden();
  }
  protected override onActivateRequest(message: Message): void {
    super.onActivateRequest(message);
    this.focusOnActivate?.();
    this.focusOnActivate = null;
  }
}
