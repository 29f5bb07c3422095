import exercises from './plugins/exercises';
import inspector from './plugins/inspector';
import notebookActions from './plugins/notebookActions';
import notebookSessions from './plugins/notebookSessions';
import savedOutputs from './plugins/savedOutputs';
import settings from './plugins/settings';
import syllabus from './plugins/syllabus';

/** One plugin for each panel, which can be disabled by itself, and those that provide what the panels share. */
export default [settings, notebookSessions, notebookActions, syllabus, inspector, exercises, savedOutputs];
