// Prints which modules a kernel's start and a lesson's first cell import, and which of them were compiled on the way
// because they lie there as sources: node sources.mjs FOLDER_OF_PYODIDE.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const folder = process.argv[2] + path.sep;
const { packages } = JSON.parse(fs.readFileSync(path.join(folder, "pyodide-lock.json"), "utf8"));
const later = ["matplotlib", "pyodide-kernel", "ipykernel", "piplite"]; // loaded when a cell asks; made for a browser
const wanted = Object.keys(packages).filter(name => !later.includes(name) && !packages.matplotlib?.depends.includes(name));
const { loadPyodide } = await import(pathToFileURL(path.join(folder, "pyodide.mjs")));
const pyodide = await loadPyodide({ indexURL: folder, env: { HOME: "/home/pyodide" } });
await pyodide.loadPackage([...wanted, "numpy"], { messageCallback() {} });
console.log(pyodide.runPython(`
import json, sys
import IPython.core.shellapp, ipywidgets, anywidget, autodiff_kit.learn, autodiff_kit.lab.kernel.comm
places = {name: getattr(module, "__spec__", None) for name, module in sys.modules.items()}
loaded = {name: spec for name, spec in places.items() if spec is not None and spec.origin != "frozen"}
json.dumps({"all": list(loaded), "from sources": sorted(
    name for name, spec in loaded.items() if (spec.origin or "").endswith(".py"))})
`));
process.exit(0);
