/* The page's service worker is the site's own, and from the first moment: Python's worker waits for it.

   JupyterLite would register it once its page is drawn. And it takes every service worker of a site away when its own
   version is not the one that it noted; it notes none at a first visit, so a second one took the drive away under the
   kernels of other tabs. The browser renews the service worker, whenever a file of the site is another one. */
const { serviceWorker } = navigator;
if (serviceWorker) {
  const script = serviceWorker.controller?.scriptURL ?? new URL('$worker', import.meta.url).href;
  localStorage.setItem(`${script}-version`, '$version');
  if (!serviceWorker.controller) {
    serviceWorker.register(script).catch(() => dispatchEvent(new Event('autodiff-kit:no-service-worker'))); // for `opening.html`
  }
}
