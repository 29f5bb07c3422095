import type { JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import type { Settings } from '../services/defaultSettings';
import { PanelSettings } from '../services/settings';
import { IPanelSettings } from '../services/tokens';

/** Owns `schema/plugin.json`, and with it the panels' settings, menu, shortcuts and tool bar button. */
const ID = 'autodiff-kit:plugin';

async function load(registry: ISettingRegistry, settings: PanelSettings): Promise<void> {
  try {
    const loaded = await registry.load(ID);
    const update = (): void => settings.update(loaded.composite as Partial<Settings>);
    loaded.changed.connect(update);
    update();
  } catch {
    // Without its schema the panels keep their defaults.
  }
}

const plugin: JupyterFrontEndPlugin<IPanelSettings> = {
  id: ID,
  description: 'Settings, menu and keyboard shortcuts of autodiff_kit’s panels.',
  autoStart: true,
  optional: [ISettingRegistry],
  provides: IPanelSettings,
  activate: (_, registry: ISettingRegistry | null) => {
    const settings = new PanelSettings();
    if (registry) {
      void load(registry, settings);
    }
    return settings;
  }
};
export default plugin;
