import type { JupyterFrontEnd } from '@jupyterlab/application';
import { MainAreaWidget } from '@jupyterlab/apputils';
import { Widget } from '@lumino/widgets';
import { tapeIcon } from '../common/icons';
import { hasRoomBeside, SidePanel } from '../common/sidePanel';
import { t } from '../common/translation';

/** Where the inspector is on the screen: in the right side bar, or in the main area until that tab is closed. */
export class InspectorPlacement {
  readonly sidePanel: SidePanel;
  private mainTab: MainAreaWidget | null = null;
  /** The inspector moved to another place, or came into view. */
  onShown: () => void = () => undefined;
  onHidden: () => void = () => undefined;

  constructor(private readonly shell: JupyterFrontEnd.IShell, private readonly content: HTMLElement) {
    this.sidePanel = new SidePanel('autodiff-kit-inspector', t('Tape inspector'), tapeIcon, content);
    this.sidePanel.onShown = () => this.bringBack();
    this.sidePanel.onHidden = () => this.onHidden();
    shell.add(this.sidePanel, 'right', { rank: 600, type: 'Autodiff' });
  }

  get isVisible(): boolean {
    return this.mainTab ? this.mainTab.isVisible : this.sidePanel.isVisible;
  }

  /** Bring the inspector into view and give it the focus. */
  show(area: 'right' | 'main' = 'right'): void {
    if (area === 'main' || this.mainTab) {
      this.showInMainArea();
    } else {
      this.sidePanel.activateWithFocus(this.shell);
    }
  }

  /** Open the inspector without taking the focus from the notebook. */
  reveal(): void {
    if (!this.mainTab && !this.isVisible && hasRoomBeside()) { // beside a tab of the main area the side panel is empty
      this.shell.activateById(this.sidePanel.id);
    }
  }

  /** From the side bar to the main area, or back. */
  toggleMainArea(): void {
    if (this.mainTab) {
      this.mainTab.dispose();
    } else {
      this.showInMainArea();
    }
  }

  /** Whoever opens the side panel wants the inspector there: its tab in the main area would leave the panel empty. */
  private bringBack(): void {
    if (this.mainTab) {
      this.mainTab.dispose(); // which shows it
    } else {
      this.onShown();
    }
  }

  private showInMainArea(): void {
    this.mainTab ??= this.createMainTab();
    this.shell.activateById(this.mainTab.id);
    this.onShown();
  }

  private createMainTab(): MainAreaWidget {
    const content = new Widget();
    content.node.append(this.content);
    const tab = new MainAreaWidget({ content });
    tab.id = 'autodiff-kit-main';
    tab.title.label = t('Tape inspector');
    tab.title.icon = tapeIcon;
    tab.title.closable = true;
    tab.disposed.connect(() => {
      this.mainTab = null;
      this.sidePanel.node.append(this.content);
      this.onShown();
    });
    this.shell.add(tab, 'main', { mode: 'split-right' });
    return tab;
  }
}
