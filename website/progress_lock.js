/* The progress file of two tabs. A kernel's Python cannot await a Web Lock, but it can wait for an answer: it asks this
   worker for its turn, and again when its turn is over. */
{
  const LONGEST = 10_000; // ms; a transaction takes a tenth of a second, and after this its tab is gone
  const turns = new Map(); // by the name that a transaction gave itself: what ends it

  function take(name, granted) {
    const turn = new Promise(end => {
      turns.set(name, end);
      setTimeout(end, LONGEST);
      granted(new Response(null, { status: 204 }));
    });
    return turn.finally(() => turns.delete(name));
  }

  self.addEventListener('fetch', event => {
    const [, what, name] = /\/api\/autodiff-kit\/(take|give)\/(\w+)$/.exec(new URL(event.request.url).pathname) ?? [];
    if (event.request.method !== 'POST' || !what) {
      return;
    }
    event.stopImmediatePropagation();
    if (what === 'give') {
      turns.get(name)?.();
      event.respondWith(new Response(null, { status: 204 }));
    } else {
      event.respondWith(new Promise(granted => event.waitUntil(navigator.locks.request('autodiff-kit:progress', () => take(name, granted)))));
    }
  });
}
