import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import { ITranslator } from '@jupyterlab/translation';
import { loadTranslations } from '../common/translation';
import { keepKeys, labelTab, markLanguage } from '../notebooks/lessonNotebook';

const plugin: JupyterFrontEndPlugin<void> = {
  id: 'autodiff-kit:lesson-notebooks',
  description: 'Names the tabs of exercises, says in which language lessons are, and keeps keys on a figure from the cells.',
  autoStart: true,
  requires: [INotebookTracker, ITranslator],
  activate: (_: JupyterFrontEnd, tracker: INotebookTracker, translator: ITranslator) => {
    loadTranslations(translator);
    const follow = (panel: NotebookPanel): void => {
      keepKeys(panel.content.node);
      void panel.context.ready.then(() => {
        labelTab(panel);
        markLanguage(panel);
      });
    };
    tracker.forEach(follow);
    tracker.widgetAdded.connect((_sender, panel) => follow(panel));
  }
};
export default plugin;
