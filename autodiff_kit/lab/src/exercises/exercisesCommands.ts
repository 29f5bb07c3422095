import { type Command, type CommandArgs, objectSchema } from '../common/commands';
import { pencilIcon } from '../common/icons';
import { t } from '../common/translation';
import type { ExercisesPanel } from './exercisesPanel';

/** The commands of the exercises; `show` brings their panel into view. */
export function exercisesCommands(exercises: ExercisesPanel, show: () => void): Record<string, Command> {
  const args = objectSchema({ id: { type: 'string' } });
  const questionId = ({ id }: CommandArgs): string | undefined => (typeof id === 'string' ? id : undefined);
  const isEnabled = (): boolean => exercises.count > 0;
  const handIn = (): Promise<void> => {
    show();
    return exercises.handIn();
  };
  return {
    'open-exercises': { label: () => t('Exercises'), execute: show, icon: pencilIcon },
    'check-question': { label: () => t('Check this question'), execute: given => exercises.checkById(questionId(given)), isEnabled, args },
    'check-all': { label: () => t('Check all questions'), execute: () => exercises.checkAll(), isEnabled },
    hint: { label: () => t('Hint'), execute: given => exercises.hintById(questionId(given)), isEnabled, args },
    'show-solution': { label: () => t('Show the solution'), execute: given => exercises.solutionById(questionId(given)), isEnabled, args },
    'hand-in': { label: () => t('Hand in'), execute: handIn, isEnabled }
  };
}
