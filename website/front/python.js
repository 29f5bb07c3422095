/* Python without Jupyter, for the front page: the same engine and wheels as the lessons', NumPy and the kit alone. */
let python = null;
let engine = '';

/* What is fetched is counted on its way. */
const plainFetch = self.fetch.bind(self);
let bytes = 0;
self.fetch = async (...asked) => {
  const answer = await plainFetch(...asked);
  if (!answer.ok || !answer.body) {
    return answer;
  }
  const count = new TransformStream({ transform(piece, to) { bytes += piece.byteLength; postMessage({ stage: 'download', bytes }); to.enqueue(piece); } });
  return new Response(answer.body.pipeThrough(count), { status: answer.status, headers: answer.headers });
};

async function start() {
  const { loadPyodide } = await import(`${engine}pyodide.mjs`);
  const pyodide = await loadPyodide({ indexURL: engine, packages: ['numpy', 'autodiff-kit'] });
  postMessage({ stage: 'import' });
  pyodide.runPython('import autodiff_kit');
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
    engine = data.engine;
    return;
  }
  try {
    const pyodide = await (python ??= start());
    postMessage({ stage: 'run' });
    const [right, text] = pyodide.runPython(RUN)(data.code).toJs();
    postMessage(right ? { output: text } : { error: text });
  } catch (error) {
    python = null;
    postMessage({ error: `Python could not be started: ${error.message}` });
  }
};
