/** What the panels say, through JupyterLab's translator: the English sentence is the key, %1 %2 are its holes. */

export interface Phrases {
  __(text: string, ...holes: unknown[]): string;
  _n(one: string, many: string, n: number, ...holes: unknown[]): string;
}

const english: Phrases = {
  __: (text, ...holes) => text.replace(/%(\d)/g, (_, d) => String(holes[+d - 1] ?? '')),
  _n: (one, many, n, ...holes) => english.__(n === 1 ? one : many, n, ...holes)
};

let phrases = english;

/** Take the language that the user chose. */
export const speak = (chosen: Phrases): void => {
  phrases = chosen;
};

/** A sentence, its holes filled. */
export const t = (text: string, ...holes: unknown[]): string => phrases.__(text, ...holes);

/** A sentence that counts: %1 is the number, written with a narrow space between thousands. */
export const tn = (one: string, many: string, n: number, ...holes: unknown[]): string =>
  phrases._n(one, many, n, ...holes).replace(String(n), count(n));

/** A whole number as the kernel prints it: 10 000 with a narrow space. */
export const count = (n: number): string => String(n).replace(/\B(?=(\d{3})+$)/g, '\u202f');
