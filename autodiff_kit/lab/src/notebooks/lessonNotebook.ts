import type { NotebookPanel } from '@jupyterlab/notebook';
import { t } from '../common/translation';
import { kitMetadata } from '../services/cellRuns';

/** What has the focus in a text or an output of a notebook, and uses keys: the button of a figure, an answer that unfolds. */
const CONTROLS = 'button, input, select, summary, textarea';
/** Texts and outputs. What a learner types for a cell, such as an answer to `input()`, is none of them. */
const SHOWN = '.jp-RenderedMarkdown, .jp-OutputArea-output:not(.jp-Stdin-cell), .akl-saved';

/** Whether a key would change the notebook, were it to reach JupyterLab: D D, X, M, 0 0, Enter, Backspace and the like. */
const changesCells = (e: KeyboardEvent): boolean =>
  !e.ctrlKey && !e.altKey && !e.metaKey && !(e.shiftKey && e.key === 'Enter') && (e.key.length === 1 || ['Enter', 'Backspace', 'Delete'].includes(e.key));

/** Keep keys on a control in a text or an output from JupyterLab, for which they are commands that delete, move and change cells. */
export function keepKeys(notebook: HTMLElement): void {
  notebook.addEventListener('keydown', e => {
    const target = e.target as HTMLElement;
    if (changesCells(e) && target.matches(CONTROLS) && target.closest(SHOWN)) {
      e.stopPropagation();
    }
  });
}

/** A lesson and its exercises have files of one name: a word before it tells the tabs apart. (A tab's label is the file's name: JupyterLab renames the file when it is changed.) */
export function labelTab({ title, model }: NotebookPanel): void {
  if (kitMetadata(model)?.kind === 'exercise') {
    title.dataset = { ...title.dataset, 'akl-tab': t('Exercises') };
  }
}

/** The lessons are in English, whatever the page's language. */
export function markLanguage({ content, model }: NotebookPanel): void {
  if (kitMetadata(model)) {
    content.node.lang = 'en';
  }
}
