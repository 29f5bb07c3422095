/* Makes the kernels' workers. On a notebook's page the first is made while JupyterLite is still being loaded, and handed
   to the kernel that asks first. Each is told the learner's language in its name (`lab/src/plugins/siteLanguage.ts`).

   The kernel's drive goes through the service worker, so the page has to be in its hands before. */
const { serviceWorker } = navigator;
const Plain = window.Worker;
let early = null;

function language() {
  try {
    return localStorage.getItem('autodiff-kit:language') ?? '';
  } catch {
    return ''; // the browser keeps nothing for this site
  }
}

function start() {
  early = new Plain(new URL('$early', import.meta.url), { type: 'module', name: language() });
}

window.Worker = new Proxy(Plain, {
  construct(target, [url, options]) {
    const isKernel = String(url).endsWith('$worker');
    const made = (isKernel && early) || new target(url, isKernel ? { ...options, name: language() } : options);
    early = made === early ? null : early;
    return made;
  }
});

// With shared memory JupyterLite has another worker.
if (serviceWorker && !window.crossOriginIsolated && new URLSearchParams(location.search).has('path')) {
  if (serviceWorker.controller) {
    start();
  } else {
    serviceWorker.addEventListener('controllerchange', start, { once: true });
  }
}
