import { Token } from '@lumino/coreutils';
import type { NotebookRuns } from './cellRuns';
import type { NotebookActions } from './notebookActions';
import type { NotebookSessions } from './notebookSessions';
import type { PanelSettings } from './settings';

/** The services that the kit's plugins provide to each other. */

export type IPanelSettings = PanelSettings;
export const IPanelSettings = new Token<IPanelSettings>('autodiff-kit:IPanelSettings', 'The settings that the syllabus, the inspector and the exercises share.');

export type INotebookSessions = NotebookSessions;
export const INotebookSessions = new Token<INotebookSessions>('autodiff-kit:INotebookSessions', 'The comm client of each open notebook’s kernel, and what kernels announce.');

export type INotebookRuns = NotebookRuns;
export const INotebookRuns = new Token<INotebookRuns>('autodiff-kit:INotebookRuns', 'Which cells of each open notebook its kernel has run.');

export type INotebookActions = NotebookActions;
export const INotebookActions = new Token<INotebookActions>('autodiff-kit:INotebookActions', 'Opens lessons and exercises, runs checks and examples in notebooks, and talks to the server extension.');
