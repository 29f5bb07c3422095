/* Files of the site are kept, each under its own address: one that is known is never fetched again, and works without a
   network. Kept is the network's own answer, because a browser keeps scripts and programs compiled only beside such ones. */
{
  const ROOT = new URL('$root', self.location);
  const LIST = new URL('$list', ROOT); // path -> hash, of every file of this version of the site
  const ANY = `autodiff-kit ${ROOT}`;
  const CACHE = ANY + LIST.pathname.slice(ROOT.pathname.length); // each version has its own
  const REST = 5_000; // ms in which nothing new was asked for, after which it is kept: before, a page that starts needs the processor
  const AT_ONCE = /\.wasm$/; // Python's program, which `start.mjs` asks for again once it is here
  const passed = new Map(); // path -> address, of what is to be kept
  const keeping = new Map(); // path -> what ends when the file is kept, or cannot be
  let files = null;
  let last = 0; // when something new was asked for
  let resting = null;
  let kept = Promise.resolve();

  async function read() {
    const cache = await caches.open(CACHE);
    let list = await cache.match(LIST);
    if (!list) {
      list = await fetch(LIST);
      if (!list.ok) {
        throw new Error(`${LIST} cannot be read`);
      }
      await cache.put(LIST, list.clone());
    }
    return list.json();
  }

  const known = () => (files ??= read().catch(error => { files = null; throw error; }));
  const hexadecimal = bytes => [...new Uint8Array(bytes)].map(byte => byte.toString(16).padStart(2, '0')).join('');

  function pathOf(url) {
    const inside = url.origin === ROOT.origin && url.pathname.startsWith(ROOT.pathname);
    const path = inside ? decodeURIComponent(url.pathname.slice(ROOT.pathname.length)) : null;
    return path === null ? null : path === '' || path.endsWith('/') ? `${path}index.html` : path;
  }

  const isPage = path => path.endsWith('.html');
  const addressOf = path => new URL(encodeURI(path), ROOT);

  /* A newer version may already lie at the address: only what has the hash of this version's list is kept. */
  async function keep(path, hash, answer) {
    const data = await answer.clone().arrayBuffer();
    if (hexadecimal(await crypto.subtle.digest('SHA-256', data)).startsWith(hash)) {
      // A page is asked for with other queries than the one that was kept: its answer names no address.
      const { status, headers } = answer;
      await (await caches.open(CACHE)).put(addressOf(path), isPage(path) ? new Response(data, { status, headers }) : answer);
    }
  }

  async function answer(event, path) {
    const hash = (await known().catch(() => ({})))[path];
    if (!hash) {
      return fetch(event.request);
    }
    await keeping.get(path);
    const stored = await (await caches.open(CACHE)).match(addressOf(path));
    if (stored) {
      return stored;
    }
    last = Date.now();
    const found = await fetch(event.request);
    if (found.ok && !found.redirected) {
      if (AT_ONCE.test(path)) {
        const done = keep(path, hash, found.clone()).catch(() => undefined).finally(() => keeping.delete(path));
        keeping.set(path, done);
        event.waitUntil(done);
      } else {
        passed.set(path, event.request.url);
        event.waitUntil(keepLater());
      }
    }
    return found;
  }

  async function rest() {
    for (let wait = REST; wait > 0; wait = last + REST - Date.now()) {
      await new Promise(done => setTimeout(done, wait));
    }
  }

  const keepLater = () => (resting ??= rest().then(keepPassed).finally(() => { resting = null; }));
  const keepPassed = () => (kept = kept.then(takeIn).catch(() => undefined));

  /* The browser still has these in a store of its own, from which they go as it likes. */
  async function takeIn() {
    const list = await known();
    const cache = await caches.open(CACHE);
    for (const [path, url] of passed) {
      if (!(await cache.match(addressOf(path)))) {
        await keep(path, list[path], await fetch(isPage(path) ? addressOf(path) : url));
      }
      passed.delete(path);
    }
  }

  /* What a page had loaded before this worker stood between it and the network. */
  async function keepAll(urls, now) {
    const list = await known();
    for (const url of urls) {
      const path = pathOf(new URL(url));
      if (list[path]) {
        passed.set(path, url);
      }
    }
    await (now ? keepPassed() : keepLater());
  }

  /* What this version has in common with those before it; then they go. */
  async function takeOver() {
    const list = await known();
    const own = await caches.open(CACHE);
    const places = new Map(Object.entries(list).map(([path, hash]) => [hash, path]));
    for (const name of await caches.keys()) {
      if (name !== CACHE && name.startsWith(ANY)) {
        const old = await caches.open(name);
        const hashes = await (await old.match(new URL(name.slice(ANY.length), ROOT)))?.json() ?? {};
        for (const request of await old.keys()) {
          const path = pathOf(new URL(request.url));
          const to = list[path] === hashes[path] ? path : places.get(hashes[path]);
          if (to && hashes[path]) {
            await own.put(addressOf(to), await old.match(request));
          }
        }
        await caches.delete(name);
      }
    }
  }

  self.addEventListener('activate', event => event.waitUntil(takeOver().catch(() => undefined)));
  self.addEventListener('message', event => event.data?.keep && event.waitUntil(keepAll(event.data.keep, event.data.now).then(() => event.ports[0]?.postMessage('kept'))));
  self.addEventListener('fetch', event => {
    const path = event.request.method === 'GET' ? pathOf(new URL(event.request.url)) : null;
    if (path !== null && !/(^|\/)api\/(drive|stdin|service-worker)/.test(path)) {
      event.stopImmediatePropagation(); // JupyterLite's own worker, below, has the notebook's files
      event.respondWith(answer(event, path));
    }
  });
}
