/* Scripts that are kept, compiled. A browser compiles a script before it is run only if a service worker keeps it while
   that worker is being installed; otherwise it keeps of a script what the page's start had called until then, and a
   lesson's page compiled fourteen thousand functions one by one, at each visit. So this one is installed once a first
   visit rests (`front/offline.js`), puts each script back into its place, and has nothing else to do. */
const ROOT = new URL('.', self.location);
const CACHE = `autodiff-kit ${ROOT}$list`; // of `service_worker.js`

async function compile() {
  const cache = await caches.open(CACHE);
  for (const request of await cache.keys()) {
    if (/\.m?js$/.test(new URL(request.url).pathname)) {
      await cache.put(request, await cache.match(request));
    }
  }
}

self.addEventListener('install', event => event.waitUntil(compile()));
