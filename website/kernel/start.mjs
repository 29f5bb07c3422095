/* Pyodide for the kernel's worker; on its way it tells the pages how far it has come (`pythonStart.ts` shows it). */
import { loadPyodide as load } from './pyodide.mjs';

const TOTAL = $total; // bytes of what is fetched before a cell can run
const id = crypto.randomUUID(); // pages of other tabs hear this, too
const pages = new BroadcastChannel('autodiff-kit:python');
const fetchOf = self.fetch;
let bytes = 0;
let failed = false;

const tell = (stage, more = {}) => failed || pages.postMessage({ id, stage, total: TOTAL, ...more });

function fail(text) {
  tell('failed', { text });
  failed = true;
}

/* A copy is counted: the engine's program itself is compiled from the answer as it came, which a browser keeps. */
async function count(copy) {
  for (let reader = copy.body.getReader(), piece = await reader.read(); !piece.done; piece = await reader.read()) {
    bytes += piece.value.byteLength;
    tell('download', { bytes });
  }
}

/* A file that does not come is told from here: without its program the engine waits for ever. */
async function counted(...asked) {
  try {
    const answer = await fetchOf.apply(self, asked);
    if (answer.ok && answer.body) {
      count(answer.clone()).catch(error => fail(error.message));
    } else {
      fail(`${answer.url.split('/').at(-1)}: ${answer.status}`);
    }
    return answer;
  } catch (error) {
    fail(error.message);
    throw error;
  }
}

export async function loadPyodide(options) {
  tell('download', { bytes });
  self.fetch = counted;
  try {
    const lock = new URL('../../api/autodiff-kit', import.meta.url).href; // answered by `progress_lock.js`
    const pyodide = await load({ ...options, env: { ...options.env, AUTODIFF_KIT_LOCK: lock } });
    tell('import');
    return pyodide;
  } catch (error) {
    fail(String(error?.message ?? error));
    throw error;
  } finally {
    self.fetch = fetchOf;
  }
}
