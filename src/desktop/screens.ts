import type { ServerResponse } from 'node:http';

/** What a window shows when it does not show the web UI. */
export type Screen =
  | { readonly kind: 'choose-server'; readonly fault?: string }
  | { readonly kind: 'connecting'; readonly server: string }
  | { readonly kind: 'unreachable'; readonly message: string }
  | { readonly kind: 'signing-in'; readonly server: string; readonly url: string }
  | { readonly kind: 'not-signed-in'; readonly message: string }
  | { readonly kind: 'where-to-keep'; readonly file: string }
  | { readonly kind: 'other-version'; readonly ours: string; readonly theirs: string; readonly server: string };

const STYLE = `
:root{color-scheme:light dark;--bg:#f5f7f8;--card:#fff;--text:#16202e;--soft:#5b6675;--line:#dfe3e8;--accent:#0b6e63;--on:#fff}
@media (prefers-color-scheme:dark){:root{--bg:#11151b;--card:#1a2029;--text:#e8ecf1;--soft:#9aa6b4;--line:#2b3340;--accent:#3ecbb6;--on:#06201c}}
*{box-sizing:border-box}body{margin:0;min-height:100vh;display:grid;place-items:center;background:var(--bg);color:var(--text);font:16px/1.55 system-ui,sans-serif}
main{max-width:30rem;width:calc(100% - 2rem);background:var(--card);border:1px solid var(--line);border-radius:14px;padding:2rem}
h1{font-size:1.3rem;margin:0 0 .5rem}p{margin:.5rem 0;color:var(--soft);overflow-wrap:anywhere}form{display:inline}
label{display:block;margin-top:1rem;font-weight:600}input{width:100%;margin-top:.3rem;padding:.55rem .7rem;border:1px solid var(--line);border-radius:9px;background:var(--bg);color:inherit;font:inherit}
button{margin:1rem .5rem 0 0;padding:.6rem 1.1rem;border-radius:9px;border:1px solid transparent;background:var(--accent);color:var(--on);font:inherit;font-weight:600;cursor:pointer}
button.plain{background:transparent;color:var(--text);border-color:var(--line)}button.plain:hover{border-color:var(--accent)}
a{color:var(--accent)}[role=alert]{color:var(--text)}`;

/** Sends a page of the application's own, which holds no script. Its buttons post to `desktop/ACTION` beneath the window's path. */
export function sendScreen(res: ServerResponse, screen: Screen): void {
  res.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', 'referrer-policy': 'same-origin', 'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'" });
  res.end(html(screen));
}

function html(screen: Screen): string {
  switch (screen.kind) {
    case 'choose-server':
      return page(
        'Where are your files?',
        `<p>Give the address at which people open svc in a browser.</p>${alert(screen.fault)}<form method="post" action="server"><label>Address<input name="server" type="text" inputmode="url" required autofocus placeholder="https://files.example.com"></label><button>Open</button></form>`,
      );
    case 'connecting':
      return page('Connecting…', `<p role="status">${escaped(screen.server)} has not answered yet.</p>`);
    case 'unreachable':
      return page('The service cannot be reached', alert(screen.message) + button('retry', 'Try again') + button('change-server', 'Another address', 'plain'));
    case 'signing-in':
      return page('Sign in in your browser', `<p role="status">The sign-in page of ${escaped(screen.server)} was opened in your browser. This window goes on when you have signed in there.</p><p>Nothing opened? <a href="${escaped(screen.url)}" target="_blank">Open the sign-in page again</a>.</p>${button('cancel', 'Cancel', 'plain')}`);
    case 'not-signed-in':
      return page('You are not signed in', alert(screen.message) + button('sign-in', 'Sign in') + button('change-server', 'Another address', 'plain'));
    case 'where-to-keep':
      return page(
        'Stay signed in on this computer?',
        `<p>This system has no keyring that is open, so the session cannot be kept encrypted. It can be kept in a file that only you can read (${escaped(screen.file)}), or not at all.</p>${button('keep-in-file', 'Keep it in the file')}${button('keep-for-this-run', 'Only until I close svc', 'plain')}`,
      );
    case 'other-version':
      return page(
        'The service has another version',
        `<p>${escaped(screen.server)} runs svc ${escaped(screen.theirs)}, and this application is svc ${escaped(screen.ours)}. Some things may not work here; install the version of the service, or open it in your browser.</p>${button('go-on', 'Go on here')}${button('open-in-browser', 'Open in the browser', 'plain')}`,
      );
  }
}

function page(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${title} · svc</title><style>${STYLE}</style></head><body><main><h1>${title}</h1>${body}</main></body></html>`;
}

function button(action: string, label: string, style = ''): string {
  return `<form method="post" action="${action}"><button class="${style}">${label}</button></form>`;
}

/** Messages are written in lower case without a final period; people read sentences. */
function alert(message: string | undefined): string {
  if (message === undefined) return '';
  // An address at the start is written as it is.
  const text = /^https?:/.test(message) ? message : message.charAt(0).toUpperCase() + message.slice(1);
  return `<p role="alert">${escaped(text)}${/[.!?]$/.test(text) ? '' : '.'}</p>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
