/** The few pages that the server writes itself, for cases in which the web UI cannot or must not be loaded. */
import type { Problem } from '../../wire/problem.ts';

const STYLE = `
:root{color-scheme:light dark;--bg:#f6f7f9;--card:#fff;--text:#16202e;--soft:#5b6675;--line:#dfe3e8;--accent:#0b6e63;--on:#fff}
@media (prefers-color-scheme:dark){:root{--bg:#12161c;--card:#1a2029;--text:#e8ecf1;--soft:#9aa6b4;--line:#2b3340;--accent:#3ecbb6;--on:#06201c}}
*{box-sizing:border-box}body{margin:0;min-height:100vh;display:grid;place-items:center;background:var(--bg);color:var(--text);font:16px/1.55 system-ui,sans-serif}
main{max-width:30rem;width:calc(100% - 2rem);background:var(--card);border:1px solid var(--line);border-radius:14px;padding:2rem}
h1{font-size:1.3rem;margin:0 0 .5rem}p{margin:.5rem 0;color:var(--soft)}
a.button,button{display:inline-block;margin-top:1rem;padding:.6rem 1.1rem;border-radius:9px;border:0;background:var(--accent);color:var(--on);font:inherit;font-weight:600;text-decoration:none;cursor:pointer}
a.plain,li button{background:transparent;color:var(--text);border:1px solid var(--line)}a.plain:hover,li button:hover{border-color:var(--accent)}
ul{list-style:none;margin:1rem 0 0;padding:0;display:grid;gap:.5rem}li button{width:100%;text-align:left;margin:0}small{display:block;font-weight:400;color:var(--soft)}
code{font-size:.85em;overflow-wrap:anywhere}`;

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

function page(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body><main><h1>${escapeHtml(title)}</h1>${body}</main></body></html>`;
}

export function errorPage({ title, detail, request_id: requestId }: Problem, signInPath: string): string {
  const paragraph = detail === undefined ? '' : `<p>${sentence(detail)}</p>`;
  return page(
    title,
    `${paragraph}<a class="button" href="${escapeHtml(signInPath)}">Sign in again</a><p><small>Request <code>${escapeHtml(requestId)}</code></small></p>`,
  );
}

/** Turns a message into an HTML sentence: a capital at the start, a full stop at the end, and text in backticks as code. */
function sentence(message: string): string {
  const text = escapeHtml(message).replace(/`([^`]*)`/g, '<code>$1</code>');
  return text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? '' : '.');
}

/** Shown when a signed-in person returns to a finished sign-in by the Back button or a bookmark. */
export function alreadySignedInPage(home: string): string {
  return page(
    'You are already signed in',
    `<p>This sign-in was finished before. There is nothing left to do.</p><a class="button" href="${escapeHtml(home)}">Open the browser</a>`,
  );
}

/** The page that asks whether to sign out. */
export function signOutPage(signOut: string, home: string): string {
  return page(
    'Sign out?',
    `<p>Another site sent you here. You stay signed in unless you choose to sign out.</p><a class="button" href="${escapeHtml(signOut)}">Sign out</a> <a class="button plain" href="${escapeHtml(home)}">Stay signed in</a>`,
  );
}

export function localUsersPage(
  users: readonly { readonly subject: string; readonly roles: readonly string[] }[],
  action: string,
): string {
  const rows = users.map(
    (user) =>
      `<li><button name="subject" value="${escapeHtml(user.subject)}">${escapeHtml(user.subject)}<small>${escapeHtml(user.roles.join(', ') || 'no role')}</small></button></li>`,
  );
  return page(
    'Choose a local user',
    `<p>For development only: this service has no identity provider.</p><form method="post" action="${escapeHtml(action)}"><ul>${rows.join('')}</ul></form>`,
  );
}
