import { type Command, objectSchema } from '../common/commands';
import { bookIcon } from '../common/icons';
import { t } from '../common/translation';
import type { SyllabusPanel } from './syllabusPanel';

/** The commands of the syllabus; `show` brings its panel into view, and `search` its search. */
export function syllabusCommands(syllabus: SyllabusPanel, show: () => void, search: () => void, next: () => { label: string; title: string }): Record<string, Command> {
  const confirmReset = (): Promise<void> => {
    show();
    return syllabus.confirmReset('all');
  };
  return {
    'open-syllabus': { label: () => t('Syllabus'), execute: show, icon: bookIcon },
    'find-lesson': { label: () => t('Find a lesson'), execute: search },
    'open-next': { label: () => t('Next thing to do'), execute: () => syllabus.openNextStep() },
    continue: { label: () => next().label || t('Next thing to do'), caption: () => next().title, icon: bookIcon, execute: () => syllabus.openNextStep(), inPalette: false },
    'reset-progress': { label: () => t('Reset progress …'), execute: confirmReset },
    'restore-backup': { label: () => t('Restore a backup …'), execute: ({ id }) => (typeof id === 'string' ? syllabus.restore(id) : confirmReset()), args: objectSchema({ id: { type: 'string' } }) },
    'export-progress': { label: () => t('Export progress'), execute: () => syllabus.export() }
  };
}
