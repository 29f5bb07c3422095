/* Pyodide for the kernel's worker; on its way it tells the pages how far it has come (`pythonStart.ts` shows it). */
import { loadPyodide as load } from './pyodide.mjs';
import { asProgram, withPackages } from './unpack.mjs';

const TOTAL = $total; // bytes of what is fetched before a cell can run
const ARCHIVES = $archives;
const ENVIRONMENT = $environment;
// The kernel, and what a lesson's first cells import: while the page is still being drawn. The kernel's startup file needs piplite.
const IMPORTS = 'import piplite, pyodide_kernel, anywidget, ipywidgets, autodiff_kit.learn, autodiff_kit.lab.kernel.comm';
const id = crypto.randomUUID(); // pages of other tabs hear this, too
const pages = new BroadcastChannel('autodiff-kit:python');
const fetchOf = self.fetch;
let bytes = 0;
let failed = false;
let told = null; // what a page that listens later has to hear
let python = null;

function tell(stage, more = {}) {
  if (!failed) {
    told = { id, stage, total: TOTAL, ...more };
    pages.postMessage(told);
  }
}

function fail(text) {
  tell('failed', { text });
  failed = true;
}

async function count(copy) {
  for (let reader = copy.body.getReader(), piece = await reader.read(); !piece.done; piece = await reader.read()) {
    bytes += piece.value.byteLength;
    tell('download', { bytes });
  }
}

/* A file that does not come is told from here: without its program the engine waits for ever. A copy is counted. A browser
   keeps the engine's program compiled only beside an answer of the site's service worker that comes from its store: where
   it has to be fetched, it is there once it was counted, and is asked for again. */
async function counted(...asked) {
  try {
    const program = /\.wasm$/.test(asked[0].url ?? asked[0]);
    const known = program && (await self.caches?.match(asked[0]));
    const answer = await fetchOf.apply(self, asked);
    if (!answer.ok || !answer.body) {
      fail(`${answer.url.split('/').at(-1)}: ${answer.status}`);
      return answer;
    }
    const counting = count(answer.clone()).catch(error => fail(error.message));
    if (!program) {
      return answer;
    }
    if (known) {
      return asProgram(answer);
    }
    await counting;
    return asProgram(failed ? answer : await fetchOf.apply(self, asked));
  } catch (error) {
    fail(error.message);
    throw error;
  }
}

async function start() {
  tell('download', { bytes });
  self.fetch = counted;
  try {
    const env = {
      ...ENVIRONMENT,
      AUTODIFF_KIT_LANGUAGE: self.name, // as `early_page.js` gave it
      AUTODIFF_KIT_LOCK: new URL('../../api/autodiff-kit', import.meta.url).href // answered by `progress_lock.js`
    };
    const pyodide = await withPackages(load({ indexURL: new URL('.', import.meta.url).href, env }), ARCHIVES);
    tell('import');
    pyodide.runPython(IMPORTS);
    return pyodide;
  } catch (error) {
    fail(String(error?.message ?? error));
    throw error;
  } finally {
    self.fetch = fetchOf;
  }
}

/* Start Python, if it has not been started; `early_worker.mjs` does so before the kernel asks. */
export const begin = () => (python ??= start());

export async function loadPyodide({ stdout, stderr }) {
  if (told) {
    pages.postMessage(told);
  }
  const pyodide = await begin();
  pyodide.setStdout({ batched: stdout });
  pyodide.setStderr({ batched: stderr });
  return pyodide;
}
