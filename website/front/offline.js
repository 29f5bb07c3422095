/* Keeps what a page has loaded, so that a second visit needs no network. JupyterLite's pages register their own worker. */
performance.setResourceTimingBufferSize(3000);
const root = new URL('.', import.meta.url);
const inLite = location.href.startsWith(`${root.href}lite/`);
const { serviceWorker } = navigator;
if (serviceWorker && !inLite) {
  serviceWorker.register(new URL('service-worker.js', root));
}

/* Ends when all is kept. */
async function keep({ also = [], now = false }) {
  const { active } = (await serviceWorker?.ready) ?? {};
  const urls = performance.getEntriesByType('resource').map(entry => entry.name);
  const { port1, port2 } = new MessageChannel();
  const kept = new Promise(done => { port1.onmessage = done; });
  active?.postMessage({ keep: [location.href.split('#')[0], ...urls, ...also], now }, [port2]);
  await kept;
}

async function keepLater() {
  await keep({});
  if (inLite) {
    const compiler = await serviceWorker.register(new URL('compile-worker.js', root), { scope: new URL('compiled/', root) });
    await (compiler.active && compiler.update()); // no page lies there, with which a browser would look for a newer version
  }
}

// A page does not see what its workers load.
addEventListener('autodiff-kit:loaded', event => keep({ also: event.detail }));

// When the page stands, for when it has come to rest; and at once when it is left.
addEventListener('load', () => setTimeout(keepLater, 4000));
addEventListener('visibilitychange', () => document.visibilityState === 'hidden' && keep({ now: true }));
