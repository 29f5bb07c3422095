/* Python's packages from one archive. Pyodide unpacks each wheel in Python, file by file; that took as long as importing
   what is in them. The archive is a tar file, compressed (`packed.py`). */
const ARCHIVES = $archives; // by their names: the packages that are in them
const BLOCK = 512;
const decoder = new TextDecoder();

const field = (head, from, to) => decoder.decode(head.subarray(from, to)).split('\0', 1)[0];

function* files(tar) {
  for (let at = 0; tar[at]; ) {
    const head = tar.subarray(at, at + BLOCK);
    const size = parseInt(field(head, 124, 136), 8);
    const folder = field(head, 345, 500);
    at += BLOCK;
    yield [folder ? `${folder}/${field(head, 0, 100)}` : field(head, 0, 100), tar.subarray(at, at + size)];
    at += Math.ceil(size / BLOCK) * BLOCK;
  }
}

/* The engine's program under its right name: where a server calls it something else, the engine waits for ever. */
export const asProgram = answer => answer.headers.get('Content-Type') === 'application/wasm' ? answer : new Response(answer.body, { status: answer.status, headers: { 'Content-Type': 'application/wasm' } });

/* An archive in memory, while the engine may still be on its way. */
async function fetched(name) {
  const { body } = await fetch(new URL(name, import.meta.url));
  return new Uint8Array(await new Response(body.pipeThrough(new DecompressionStream('gzip'))).arrayBuffer());
}

/* Put its files where Python imports from; its packages count as loaded. */
function install(pyodide, name, archive) {
  const packages = '$site';
  const made = new Set();
  for (const [file, data] of files(archive)) {
    const path = `${packages}/${file}`;
    const folder = path.slice(0, path.lastIndexOf('/'));
    if (!made.has(folder)) {
      pyodide.FS.mkdirTree(folder);
      made.add(folder);
    }
    pyodide.FS.writeFile(path, data, { canOwn: true }); // a part of the archive, and no copy
  }
  ARCHIVES[name].forEach(one => (pyodide.loadedPackages[one] = 'site'));
}

/* Python with what is in some archives; all of it is fetched at once. */
export async function withPackages(loading, names) {
  const [pyodide, ...archives] = await Promise.all([loading, ...names.map(fetched)]);
  archives.forEach((archive, k) => install(pyodide, names[k], archive));
  return pyodide;
}
