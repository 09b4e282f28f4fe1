// The service worker of the installed application. It only answers a page that cannot be loaded, with one that says so. It keeps no data, and sees no other request.
const words = new URL(self.location.href).searchParams;
const scope = new URL(self.registration.scope).pathname;
/** What is no page of the application: downloads and answers of the service go past this worker. */
const NO_PAGE = /^(?:api|v1|rpc|assets)(?:\/|$)/;

self.addEventListener('install', () => void self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.registration.navigationPreload?.enable()));
self.addEventListener('fetch', (event) => {
  const { request } = event;
  const path = new URL(request.url).pathname;
  if (request.mode !== 'navigate' || request.method !== 'GET' || NO_PAGE.test(path.slice(scope.length))) return;
  event.respondWith(
    Promise.resolve(event.preloadResponse)
      .then((preloaded) => preloaded ?? fetch(request))
      .catch(offlinePage),
  );
});

function offlinePage() {
  const nonce = crypto.randomUUID();
  const [title, text] = [escaped('title'), escaped('text')];
  const probe = JSON.stringify(`${scope}icon.svg`);
  return new Response(
    `<!doctype html><html lang="${escaped('lang')}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${title} · ${escaped('name')}</title><style>
:root{color-scheme:light dark;--bg:#f5f7f8;--text:#16202e;--soft:#5b6670}
@media (prefers-color-scheme:dark){:root{--bg:#11151b;--text:#e8ecf1;--soft:#9aa5b1}}
body{margin:0;min-height:100vh;display:grid;place-content:center;justify-items:center;padding:1rem;box-sizing:border-box;background:var(--bg);color:var(--text);font:16px/1.55 system-ui,sans-serif;text-align:center}
h1{font-size:1.4rem;margin:0}p{max-width:26rem;margin:.5rem 0;color:var(--soft)}
</style></head><body><main role="status"><h1>${title}</h1><p>${text}</p></main><script nonce="${nonce}">
const back = () => fetch(${probe}, { cache: 'no-store' }).then(({ ok }) => ok && location.reload(), () => undefined);
addEventListener('online', back);
setInterval(back, 5000);
</script></body></html>`,
    {
      status: 503,
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-${nonce}'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      },
    },
  );
}

function escaped(name) {
  return (words.get(name) ?? '').replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
