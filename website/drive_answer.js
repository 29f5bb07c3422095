/* JupyterLite's page gives no answer to a request of the kernel's drive that fails: a write into full storage, a file that
   is gone. Python would wait for ever. After a while it hears that the request failed, and the kit can say so. */
{
  const LONGEST = 20_000; // ms; an answer takes milliseconds, and a busy page some seconds

  self.addEventListener('fetch', event => {
    if (event.request.method !== 'POST' || !new URL(event.request.url).pathname.endsWith('/api/drive')) {
      return;
    }
    const failed = new Promise(settle => setTimeout(() => settle(new Response('no answer', { status: 504 })), LONGEST));
    const respond = event.respondWith.bind(event);
    event.respondWith = answer => respond(Promise.race([answer, failed]));
  });
}
