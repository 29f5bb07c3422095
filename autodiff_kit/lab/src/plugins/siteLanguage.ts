import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { siteSyllabus } from '../services/kernelTransport';

const LANGUAGE_SETTINGS = '@jupyterlab/translation-extension:plugin';
/** Key under which the page that starts Python looks for the language (`website/kernel/early_page.js`). */
const LANGUAGE = 'autodiff-kit:language';

const plugin: JupyterFrontEndPlugin<void> = {
  id: 'autodiff-kit:site-language',
  description: 'On a site without a server: tells Python the display language, in which it asks and answers.',
  autoStart: true,
  requires: [ISettingRegistry],
  activate: async (_: JupyterFrontEnd, registry: ISettingRegistry) => {
    if (!siteSyllabus()) {
      return; // the server extension puts it into the kernels' environment
    }
    const settings = await registry.load(LANGUAGE_SETTINGS);
    const note = (): void => {
      const locale = settings.composite.locale as string;
      localStorage.setItem(LANGUAGE, locale === 'default' ? 'en' : locale);
    };
    settings.changed.connect(note); // JupyterLab loads the page again once another language was chosen
    note();
  }
};
export default plugin;
