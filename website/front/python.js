/* Python without Jupyter, for the front page: the same engine and wheels as the lessons', NumPy and the kit alone. */
let python = null;
let asProgram = null; // of `unpack.mjs`, which lies beside the engine
let asked = null; // { engine, files, known }: where Python lies, what it will fetch, whether this browser has had it before

/* All that Python will ask for is fetched at once. What comes for the first time is counted on its way; later the answers
   are left as they are, because a browser finds its own compiled copy only for those. */
const EVERY = 50; // ms between two messages
const plainFetch = self.fetch.bind(self);
const ahead = new Map();
let bytes = 0;
let told = 0;

function count(piece, to) {
  bytes += piece.byteLength;
  if (performance.now() - told > EVERY) {
    told = performance.now();
    postMessage({ stage: 'download', bytes });
  }
  to.enqueue(piece);
}

async function load(url) {
  const answer = await plainFetch(url);
  if (asked.known || !answer.ok) {
    return answer;
  }
  return new Response(answer.body.pipeThrough(new TransformStream({ transform: count })), { status: answer.status, headers: answer.headers });
}

self.fetch = async (what, ...options) => {
  const url = new URL(what.url ?? what, location.href).href;
  const coming = ahead.get(url);
  ahead.delete(url);
  const answer = await (coming ?? plainFetch(what, ...options));
  return url.endsWith('.wasm') && answer.ok ? asProgram(answer) : answer;
};

async function start() {
  const { engine, files } = asked;
  postMessage({ stage: asked.known ? 'start' : 'download', bytes });
  files.forEach(name => ahead.set(engine + name, load(engine + name)));
  const [{ loadPyodide }, { withPackages, ...unpack }] = await Promise.all([import(`${engine}pyodide.mjs`), import(`${engine}unpack.mjs`)]);
  asProgram = unpack.asProgram;
  const loading = loadPyodide({ indexURL: engine }).finally(() => postMessage({ stage: 'start' }));
  const pyodide = await withPackages(loading, ['first.packed']); // NumPy and the kit
  postMessage({ stage: 'import' });
  pyodide.runPython('import autodiff_kit');
  const loaded = performance.getEntriesByType('resource').map(entry => entry.name);
  postMessage({ loaded: [location.href, ...loaded] });
  return pyodide;
}

/* Output of the code, in a fresh namespace each time; an error without the frames of the engine. */
const RUN = `
import contextlib, io, traceback
def _run(code):
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            exec(compile(code, "your program", "exec"), {"__name__": "__main__"})
        except BaseException as error:
            return False, said.getvalue() + "".join(traceback.format_exception(type(error), error, error.__traceback__.tb_next))
    return True, said.getvalue()
_run`;

self.onmessage = async ({ data }) => {
  if (data.engine) {
    asked = data;
    return;
  }
  try {
    const pyodide = await (python ??= start());
    postMessage({ stage: 'run' });
    const [right, text] = pyodide.runPython(RUN)(data.code).toJs();
    postMessage(right ? { output: text } : { error: text });
  } catch (error) {
    python = null;
    ahead.clear();
    postMessage({ error: `Python could not be started: ${error.message}` });
  }
};
