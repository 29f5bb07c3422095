/** Numbers as text: significant digits, counts with a unit prefix, bytes. */

let digits = 4;

/** Significant digits of a number, from the settings. */
export const significantDigits = (): number => digits;
export const setSignificantDigits = (n: number): void => {
  digits = n;
};

const minus = (s: string): string => s.replaceAll('-', '−');
const superscript = (e: number): string => [...String(e)].map(c => (c === '-' ? '⁻' : '⁰¹²³⁴⁵⁶⁷⁸⁹'[+c])).join('');

function scientific(x: number, figures: number): string {
  if (figures < 4) {
    return minus(x.toExponential(0).replace('e+', 'e'));
  }
  const [m, e] = x.toExponential(2).split('e');
  return `${minus(String(+m))}×10${superscript(+e)}`;
}

/** A number as the kernel prints it: never −0, one minus sign everywhere. */
export function formatNumber(x: number | string, figures = digits): string {
  if (typeof x === 'string') {
    return { nan: 'NaN', inf: '∞', '-inf': '−∞' }[x] ?? x;
  }
  if (x === 0) {
    return '0';
  }
  const size = Math.abs(x);
  return size >= 1e5 || size < (figures < 3 ? 1e-2 : 1e-4) ? scientific(x, figures) : minus(String(+x.toPrecision(figures)));
}

const withUnit = (n: number, steps: [number, string][]): string | null => {
  const found = steps.find(([size]) => n >= size);
  return found ? `${+(n / found[0]).toPrecision(3)}\u202f${found[1]}` : null;
};

/** Operations: 12.3 k. */
export const formatCount = (n: number): string => withUnit(n, [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k']]) ?? String(n);

/** Bytes: 1.2 KiB. */
export const formatBytes = (n: number): string =>
  withUnit(n, [[2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [2 ** 10, 'KiB']]) ?? `${n}\u202fB`;
