/* Keeps what a page has loaded, so that a second visit needs no network. JupyterLite's pages register their own worker. */
performance.setResourceTimingBufferSize(3000);
const root = new URL('.', import.meta.url);
if ('serviceWorker' in navigator && !location.href.startsWith(`${root.href}lite/`)) {
  navigator.serviceWorker.register(new URL('service-worker.js', root));
}

async function keep({ also = [], now = false }) {
  const { active } = (await navigator.serviceWorker?.ready) ?? {};
  const urls = performance.getEntriesByType('resource').map(entry => entry.name);
  active?.postMessage({ keep: [location.href.split('#')[0], ...urls, ...also], now });
}

// A page does not see what its workers load.
addEventListener('autodiff-kit:loaded', event => keep({ also: event.detail }));

// When the page stands, for when it has come to rest; and at once when it is left.
addEventListener('load', () => setTimeout(() => keep({}), 4000));
addEventListener('visibilitychange', () => document.visibilityState === 'hidden' && keep({ now: true }));
