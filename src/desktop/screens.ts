import type { ServerResponse } from 'node:http';
import type { Words } from './words.ts';

/** The screens that a window can show instead of the web UI. */
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
h1{font-size:1.3rem;margin:.8rem 0 .5rem}p{margin:.5rem 0;color:var(--soft);overflow-wrap:anywhere}form{display:inline}
label{display:block;margin-top:1rem;font-weight:600}input{width:100%;margin-top:.3rem;padding:.55rem .7rem;border:1px solid var(--line);border-radius:9px;background:var(--bg);color:inherit;font:inherit;font-weight:400}
button{margin:1rem .5rem 0 0;padding:.6rem 1.1rem;border-radius:9px;border:1px solid transparent;background:var(--accent);color:var(--on);font:inherit;font-weight:600;cursor:pointer}
button.plain{background:transparent;color:var(--text);border-color:var(--line)}button.plain:hover{border-color:var(--accent)}
a{color:var(--accent)}[role=alert]{color:var(--text)}`;

/** The web UI's icon. */
const MARK =
  '<svg width="44" height="44" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" fill="#0b6e63"/><path d="M16 6.5 26 11.3 16 16.1 6 11.3z" fill="#fff"/><path d="M6 15.8 16 20.6 26 15.8V17.9L16 22.7 6 17.9z" fill="#a1dbd1"/><path d="M6 20.9 16 25.7 26 20.9V23L16 27.8 6 23z" fill="#f2b544"/></svg>';

/** Sends a page of the application, without scripts. Its buttons post to `desktop/ACTION` beneath the window's path. */
export function sendScreen(res: ServerResponse, screen: Screen, words: Words): void {
  res.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-language': words.language,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    'content-security-policy':
      "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'",
  });
  const { title, body } = contentOf(screen, words);
  res.end(
    `<!doctype html><html lang="${words.language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${title} · svc</title><style>${STYLE}</style></head><body><main>${MARK}<h1>${title}</h1>${body}</main></body></html>`,
  );
}

function contentOf(screen: Screen, { t }: Words): { readonly title: string; readonly body: string } {
  switch (screen.kind) {
    case 'choose-server':
      return {
        title: t('Where are your files?'),
        body: `<p>${t('Give the address at which people open svc in a browser.')}</p>${alert(screen.fault)}<form method="post" action="server"><label>${t('Address')}<input name="server" type="text" inputmode="url" required autofocus placeholder="https://files.example.com"></label><button>${t('Open')}</button></form>`,
      };
    case 'connecting':
      return {
        title: t('Connecting…'),
        body: `<p role="status">${t('{server} has not answered yet.', { server: escaped(screen.server) })}</p>`,
      };
    case 'unreachable':
      return {
        title: t('The service cannot be reached'),
        body:
          alert(screen.message) +
          button('retry', t('Try again')) +
          button('change-server', t('Another address'), 'plain'),
      };
    case 'signing-in':
      return {
        title: t('Sign in in your browser'),
        body: `<p role="status">${t('The sign-in page of {server} was opened in your browser. This window goes on when you have signed in there.', { server: escaped(screen.server) })}</p><p>${t('Nothing opened?')} <a href="${escaped(screen.url)}" target="_blank">${t('Open the sign-in page again')}</a>.</p>${button('cancel', t('Cancel'), 'plain')}`,
      };
    case 'not-signed-in':
      return {
        title: t('You are not signed in'),
        body:
          alert(screen.message) +
          button('sign-in', t('Sign in')) +
          button('change-server', t('Another address'), 'plain'),
      };
    case 'where-to-keep':
      return {
        title: t('Stay signed in on this computer?'),
        body: `<p>${t('This system has no keyring that is open, so the session cannot be kept encrypted. It can be kept in a file that only you can read ({file}), or not at all.', { file: escaped(screen.file) })}</p>${button('keep-in-file', t('Keep it in the file'))}${button('keep-for-this-run', t('Only until I close svc'), 'plain')}`,
      };
    case 'other-version':
      return {
        title: t('The service has another version'),
        body: `<p>${t('{server} runs svc {theirs}, and this application is svc {ours}. Some things may not work here; install the version of the service, or open it in your browser.', { server: escaped(screen.server), theirs: escaped(screen.theirs), ours: escaped(screen.ours) })}</p>${button('go-on', t('Go on here'))}${button('open-in-browser', t('Open in the browser'), 'plain')}`,
      };
  }
}

function button(action: string, label: string, style = ''): string {
  return `<form method="post" action="${action}"><button class="${style}">${label}</button></form>`;
}

/** Shows a message. Messages are English, in lower case and without a final period; people read sentences. */
function alert(message: string | undefined): string {
  if (message === undefined) return '';
  // An address at the start keeps its case.
  const text = /^https?:/.test(message) ? message : message.charAt(0).toUpperCase() + message.slice(1);
  return `<p role="alert" lang="en">${escaped(text)}${/[.!?]$/.test(text) ? '' : '.'}</p>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
