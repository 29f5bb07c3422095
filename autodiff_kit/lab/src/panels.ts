import { Message } from '@lumino/messaging';
import { LabIcon } from '@jupyterlab/ui-components';
import { Widget } from '@lumino/widgets';

/** Where the style sheet asks for another least width. */
const WIDE = matchMedia('(min-width: 1100px)');

/** A side panel that holds one of ours; it takes the focus only when it was asked for. */
export class Panel extends Widget {
  wanted = false;
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
    this.node.append(content);
    WIDE.addEventListener('change', () => this.makeRoom());
  }

  /** What holds the panel has remembered another least width: each of them asks again. */
  private makeRoom(): void {
    for (let holder = this.parent; holder; holder = holder.parent) {
      holder.fit();
    }
  }

  protected override onAfterShow(message: Message): void {
    super.onAfterShow(message);
    this.makeRoom();
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
    if (this.wanted) {
      this.wanted = false;
      const first = this.content.querySelector<HTMLElement>('[role="treegrid"], [role="treeitem"][tabindex="0"], [role="listitem"], .akl-primary');
      (first ?? this.content).focus({ preventScroll: true });
    }
  }
}
