/** Translation through JupyterLab's translator: the English sentence is the key, with placeholders %1 and %2. */

export interface Translations {
  __(text: string, ...holes: unknown[]): string;
  _n(one: string, many: string, n: number, ...holes: unknown[]): string;
}

const english: Translations = {
  __: (text, ...holes) => text.replace(/%(\d)/g, (_, d) => String(holes[+d - 1] ?? '')),
  _n: (one, many, n, ...holes) => english.__(n === 1 ? one : many, n, ...holes)
};

let current = english;

/** The catalogue that JupyterLab loads for the kit. */
const DOMAIN = 'autodiff_kit';

/** Use the language that the user chose, in every panel. */
export const loadTranslations = (translator: { load(domain: string): Translations }): void => setTranslations(translator.load(DOMAIN));

/** Use these translations. */
export const setTranslations = (chosen: Translations): void => {
  current = chosen;
};

/** The language of the panels' texts where it is not the page's: JupyterLab speaks more languages than the kit. */
export const ownLanguage = (page: string): string | null => (page.startsWith('en') || t('Syllabus') !== 'Syllabus' ? null : 'en');

/** A translated sentence with its placeholders filled. */
export const t = (text: string, ...holes: unknown[]): string => current.__(text, ...holes);

/** A translated sentence with a plural: %1 is the number, with a narrow space between thousands. */
export const tn = (one: string, many: string, n: number, ...holes: unknown[]): string =>
  current._n(one, many, n, ...holes).replace(String(n), groupThousands(n));

/** A whole number as the kernel prints it: 10 000 with a narrow space. */
export const groupThousands = (n: number): string => String(n).replace(/\B(?=(\d{3})+$)/g, '\u202f');
