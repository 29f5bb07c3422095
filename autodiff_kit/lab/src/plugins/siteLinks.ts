import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { PageConfig } from '@jupyterlab/coreutils';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import { ITranslator } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';
import { h, replaceChildren } from '../common/dom';
import { loadTranslations, t } from '../common/translation';
import { siteSyllabus } from '../services/kernelTransport';

/** What a lesson and its exercises say of themselves. */
interface About {
  slug?: string;
}

/** A page around JupyterLite: the front page, or one of the book. */
const inSite = (path: string): string => new URL(`../${path}`, new URL(PageConfig.getBaseUrl(), location.href)).href;

/** The way back: to the front page, and to the page of the book that belongs to the notebook in front. */
function drawLinks(nav: HTMLElement, { slug }: About): void {
  const inBook = slug ? h('a', { href: inSite(`lessons/${slug}.html`) }, t('Lesson in the book')) : h('a', { href: inSite('lessons/index.html') }, t('All lessons'));
  replaceChildren(nav, h('a', { class: 'akl-site-name', href: inSite('index.html') }, 'autodiff_kit'), inBook);
}

const plugin: JupyterFrontEndPlugin<void> = {
  id: 'autodiff-kit:site-links',
  description: 'On a site without a server: the way back to the front page and the book.',
  autoStart: true,
  requires: [INotebookTracker, ITranslator],
  activate: (app: JupyterFrontEnd, tracker: INotebookTracker, translator: ITranslator) => {
    if (!siteSyllabus()) {
      return;
    }
    loadTranslations(translator);
    const links = new Widget({ node: h('nav', { class: 'akl-site', 'aria-label': t('This site') }) });
    links.id = 'autodiff-kit-site';
    const follow = async (panel: NotebookPanel | null): Promise<void> => {
      await panel?.context.ready;
      if (panel === tracker.currentWidget) {
        drawLinks(links.node, (panel?.model?.getMetadata('autodiff_kit') ?? {}) as About);
      }
    };
    drawLinks(links.node, {});
    app.shell.add(links, 'top', { rank: 0 });
    tracker.currentChanged.connect((_, panel) => void follow(panel));
    void follow(tracker.currentWidget);
  }
};
export default plugin;
