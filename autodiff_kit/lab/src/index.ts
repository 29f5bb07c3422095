import cellRuns from './plugins/cellRuns';
import exercises from './plugins/exercises';
import inspector from './plugins/inspector';
import lessonNotebooks from './plugins/lessonNotebooks';
import lessonRoom from './plugins/lessonRoom';
import notebookActions from './plugins/notebookActions';
import notebookSessions from './plugins/notebookSessions';
import pythonStart from './plugins/pythonStart';
import savedOutputs from './plugins/savedOutputs';
import settings from './plugins/settings';
import siteLanguage from './plugins/siteLanguage';
import siteLinks from './plugins/siteLinks';
import siteSaving from './plugins/siteSaving';
import siteStart from './plugins/siteStart';
import syllabus from './plugins/syllabus';
import welcome from './plugins/welcome';

/** One plugin for each panel and page, which can be disabled by itself, and those that provide what they share. */
export default [settings, notebookSessions, cellRuns, notebookActions, syllabus, inspector, exercises, savedOutputs, siteStart, siteLanguage, siteLinks, siteSaving, pythonStart, welcome, lessonRoom, lessonNotebooks];
