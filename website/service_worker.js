/* Files of the site are kept by their hashes: one that is known is never fetched again, and works without a network. */
{
  const ROOT = new URL('$root', self.location);
  const LIST = new URL('$list', ROOT); // path -> hash, of every file of this version of the site
  const CACHE = 'autodiff-kit';
  const byHash = hash => new URL(`by-hash/${hash}`, ROOT);
  let files = null;

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

  /* A newer version may already lie at the address: only what has the hash of this version's list is kept. */
  async function keep(answer, hash) {
    const { status, headers } = answer;
    const data = await answer.arrayBuffer();
    if (hexadecimal(await crypto.subtle.digest('SHA-256', data)).startsWith(hash)) {
      await (await caches.open(CACHE)).put(byHash(hash), new Response(data, { status, headers }));
    }
  }

  async function answer(event, path) {
    const hash = (await known().catch(() => ({})))[path];
    if (!hash) {
      return fetch(event.request);
    }
    const kept = await (await caches.open(CACHE)).match(byHash(hash));
    if (kept) {
      return kept;
    }
    const found = await fetch(event.request);
    if (found.ok && !found.redirected) {
      event.waitUntil(keep(found.clone(), hash));
    }
    return found;
  }

  /* What a page had loaded before this worker stood between it and the network. */
  async function keepAll(urls) {
    const list = await known();
    const cache = await caches.open(CACHE);
    for (const url of urls) {
      const hash = list[pathOf(new URL(url))];
      if (hash && !(await cache.match(byHash(hash)))) {
        await keep(await fetch(url), hash);
      }
    }
  }

  /* Files of versions that are gone. */
  async function clean() {
    const wanted = new Set(Object.values(await known()).map(hash => byHash(hash).href).concat(LIST.href));
    const cache = await caches.open(CACHE);
    for (const request of await cache.keys()) {
      if (request.url.startsWith(ROOT.href) && !wanted.has(request.url)) {
        await cache.delete(request);
      }
    }
  }

  self.addEventListener('activate', event => event.waitUntil(clean().catch(() => undefined)));
  self.addEventListener('message', event => event.data?.keep && event.waitUntil(keepAll(event.data.keep).then(() => event.ports[0]?.postMessage('kept'))));
  self.addEventListener('fetch', event => {
    const path = event.request.method === 'GET' ? pathOf(new URL(event.request.url)) : null;
    if (path !== null && !/(^|\/)api\/(drive|stdin|service-worker)/.test(path)) {
      event.stopImmediatePropagation(); // JupyterLite's own worker, below, has the notebook's files
      event.respondWith(answer(event, path));
    }
  });
}
