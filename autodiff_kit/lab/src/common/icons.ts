import { LabIcon } from '@jupyterlab/ui-components';

const drawn = (name: string, path: string): LabIcon =>
  new LabIcon({
    name: `autodiff-kit:${name}`,
    svgstr:
      '<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 16 16">' +
      '<g fill="none"><path class="jp-icon3" stroke="#616161" stroke-width="1.35" ' +
      `stroke-linecap="round" stroke-linejoin="round" d="${path}"/></g></svg>`
  });

/** The panels' icons in JupyterLab's side bars, menus and launcher. */
export const tapeIcon = drawn('tape', 'M2.5 4.5h11v7h-11zM5.2 6.7h.1M8 6.7h.1M10.8 6.7h.1M5 9.2h6');
export const bookIcon = drawn('syllabus', 'M3 3.5h4.2L8 4.3l.8-.8H13v9H8.8l-.8.8-.8-.8H3zM8 4.3v9');
export const pencilIcon = drawn('exercises', 'M3 13l.6-2.8L10.8 3 13 5.2 5.8 12.4z');
