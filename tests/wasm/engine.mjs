// Runs one Python script in Pyodide: node engine.mjs JOB, where JOB is a JSON file (see engine.py). What the script's
// function `main` returns is written as JSON into the job's file `result`.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const job = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
const { loadPyodide } = await import(pathToFileURL(path.join(job.pyodide, "pyodide.mjs")));
const pyodide = await loadPyodide({ indexURL: job.pyodide + path.sep, env: { HOME: "/home/pyodide", ...job.environment } });

await pyodide.loadPackage(job.packages, { messageCallback() {} });
for (const wheel of job.wheels) pyodide.unpackArchive(new Uint8Array(fs.readFileSync(wheel)), "wheel");
for (const [to, from] of Object.entries(job.files)) {
  pyodide.FS.mkdirTree(path.posix.dirname(to));
  pyodide.FS.writeFile(to, new Uint8Array(fs.readFileSync(from)));
}

pyodide.globals.set("argument", JSON.stringify(job.argument));
try {
  const found = pyodide.runPython(`
import importlib, json, sys
sys.path.insert(0, "/home/pyodide")
json.dumps(importlib.import_module(${JSON.stringify(job.module)}).main(**json.loads(argument)))
`);
  fs.writeFileSync(job.result, found);
} catch (error) {
  console.error(error.message); // Python's traceback; that of Node would show a page of the engine's own code
  process.exitCode = 1;
}
