import { button, h } from '../common/dom';
import { ownLanguage, t } from '../common/translation';
import { gradientPicture } from './gradientPicture';

/** What the page starts. */
export interface WelcomeHost {
  /** The lesson in which the learner is; null on the first day. */
  currentLesson(): Promise<string | null>;
  startFirstLesson(): void;
  goOn(): void;
  showLessons(): void;
  showInspector(): void;
}

const step = (heading: string, ...words: (string | HTMLElement)[]): HTMLElement => h('li', null, h('b', null, heading), h('span', null, ...words));

/** The first page of a new folder: what this is, how a lesson goes, and one button to begin, or to go on. */
export function welcomePage(host: WelcomeHost): HTMLElement {
  let goesOn = false;
  const begin = button(t('Begin with lesson 00'), { cls: 'akl-primary', act: () => (goesOn ? host.goOn() : host.startFirstLesson()) });
  void host.currentLesson().then(no => {
    if (no) {
      goesOn = true;
      begin.textContent = t('Go on with lesson %1', no);
    }
  });
  return h('section', { class: 'akl akl-welcome', lang: ownLanguage(document.documentElement.lang), 'aria-labelledby': 'akl-welcome-title', tabIndex: -1 },
    h('div', { class: 'akl-welcome-page' },
      h('h1', { id: 'akl-welcome-title' }, t('See what your gradients do')),
      h('p', null, t('These lessons explain automatic differentiation with notebooks that you run: what a gradient is, where it stops, and why it is sometimes None, 0 or nan. Move the point:')),
      gradientPicture(),
      h('div', { class: 'akl-actions' }, begin, button(t('Choose a lesson'), { cls: 'akl-second', act: () => host.showLessons() })),
      h('ol', { class: 'akl-welcome-steps' },
        step(t('Predict.'), t('Before an important result stands a question. Choose an answer; nothing is graded.')),
        step(t('Run.'), t('Run one cell at a time with Shift+Enter. The kernel computes the result, and the lesson says why.')),
        step(t('Try.'), t('Move the figures, change the code, then solve the exercises of the lesson.'))),
      h('p', { class: 'akl-quiet' }, t('For your own code there is the tape inspector: it shows what a cell has recorded.'), ' ', button(t('Open it'), { cls: 'akl-link', act: () => host.showInspector() })),
      h('p', { class: 'akl-quiet' }, t('This page closes when you open a notebook. The menu Autodiff has it again.'))));
}
