/* JupyterLite takes every service worker of a site away when its own version is not the one that it noted; it notes none
   at a first visit, so a second one took the drive away under the kernels of other tabs. The site's own service worker
   is renewed by the browser, whenever a file of the site is another one. */
const { controller } = navigator.serviceWorker ?? {};
if (controller) {
  localStorage.setItem(`${controller.scriptURL}-version`, '$version');
}
