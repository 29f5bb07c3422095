/* Starts the kernel's worker while JupyterLite's page is still being loaded, and gives it to the kernel that asks first.

   The kernel's drive goes through the service worker, so the page has to be in its hands before. */
const { serviceWorker } = navigator;
const Plain = window.Worker;
let early = null;

function start() {
  early = new Plain(new URL('$early', import.meta.url), { type: 'module' });
  window.Worker = new Proxy(Plain, {
    construct(target, [url, options]) {
      const asked = early && String(url).endsWith('$worker') ? early : null;
      if (asked) {
        early = null;
        window.Worker = Plain;
      }
      return asked ?? new target(url, options);
    }
  });
}

// With shared memory JupyterLite has another worker.
if (serviceWorker && !window.crossOriginIsolated) {
  if (serviceWorker.controller) {
    start();
  } else {
    serviceWorker.addEventListener('controllerchange', start, { once: true });
  }
}
