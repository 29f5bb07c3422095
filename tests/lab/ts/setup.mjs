// Lets node read the front end's sources as they stand: `./tape` is `./tape.ts`. Packages of JupyterLab, which are not
// installed here, are replaced by modules whose exports do nothing; a token keeps the name by which it is known.
import { readdirSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const SOURCES = new URL('../../../autodiff_kit/lab/src/', import.meta.url);
const PACKAGE = /^@(jupyterlab|lumino|codemirror)\//;

/** Names that the sources import from a package. */
function importedNames(name) {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.ts'));
  const lists = files.flatMap(file => [...readFileSync(new URL(file, SOURCES), 'utf8').matchAll(/^import \{([^}]*)\} from '([^']+)';/gm)]);
  const names = lists.filter(list => list[2] === name).flatMap(list => list[1].split(',')).map(one => one.trim());
  return new Set(names.filter(one => one && !one.startsWith('type ')));
}

const inert = "new Proxy(class {}, { get: (target, key) => (key in target ? target[key] : () => ({})) })"; // a test may give it a part
const token = 'class { constructor(name) { this.name = name; } }';
const exported = (from, name) => (name === 'Token' ? token : /^I[A-Z]/.test(name) ? `{ name: '${from}:${name}' }` : inert);

registerHooks({
  resolve(name, context, next) {
    if (PACKAGE.test(name)) {
      return { url: `stub:${name}`, format: 'module', shortCircuit: true };
    }
    const bare = name.startsWith('.') && !/\.(m?ts|mjs|json)$/.test(name);
    return next(bare ? `${name}.ts` : name, context);
  },
  load(url, context, next) {
    if (!url.startsWith('stub:')) {
      return next(url, context);
    }
    const name = url.slice('stub:'.length);
    const source = [...importedNames(name)].map(one => `export const ${one} = ${exported(name, one)};`).join('\n');
    return { format: 'module', source, shortCircuit: true };
  }
});

let now = 0;
globalThis.requestAnimationFrame = act => setTimeout(() => act((now += 1000)), 0);
globalThis.cancelAnimationFrame = id => clearTimeout(id);
globalThis.matchMedia = () => ({ matches: false, addEventListener: () => undefined });
