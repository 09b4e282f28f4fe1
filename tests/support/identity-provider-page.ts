import type { Account } from './identity-provider.ts';

const STYLE = `
:root{color-scheme:light dark;--ground:#f4f5f7;--card:#fff;--text:#1c2230;--soft:#5d6675;--line:#dfe3ea;--accent:#2f5bea}
@media (prefers-color-scheme:dark){:root{--ground:#12151c;--card:#1b202b;--text:#eef1f6;--soft:#9aa4b5;--line:#2c3342;--accent:#86a3ff}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:24px;background:var(--ground);color:var(--text);font:16px/1.5 system-ui,sans-serif}
main{width:100%;max-width:440px;padding:32px;border:1px solid var(--line);border-radius:16px;background:var(--card)}
h1{margin:0 0 4px;font-size:22px}p{margin:0 0 20px;color:var(--soft)}
form{display:grid;gap:10px}
button{display:grid;grid-template-columns:40px 1fr;gap:0 14px;align-items:center;width:100%;padding:12px 14px;text-align:left;font:inherit;color:inherit;border:1px solid var(--line);border-radius:12px;background:transparent;cursor:pointer}
button:hover,button:focus-visible{border-color:var(--accent);outline:none;box-shadow:0 0 0 1px var(--accent)}
button i{grid-row:span 2;display:grid;place-items:center;width:40px;height:40px;border-radius:50%;background:var(--accent);color:var(--card);font-style:normal;font-weight:600}
button small{color:var(--soft)}button.plain{display:block;text-align:center;color:var(--soft)}`;

/** Where a person says who they are: each account is a button, and there are no passwords. */
export function accountPage(title: string, action: string, accounts: readonly Account[]): string {
  const buttons = accounts.map(
    ({ sub, name = sub, groups = [], note = groups.join(', ') }) =>
      `<button name="account" value="${escape(sub)}"><i aria-hidden="true">${escape(name.slice(0, 1).toUpperCase())}</i><strong>${escape(name)}</strong><small>${escape(note || 'no groups')}</small></button>`,
  );
  return page(
    title,
    `<p>Choose who you are.</p><form method="post" action="${escape(action)}">${buttons.join('')}<button class="plain" name="cancel" value="yes">Cancel</button></form>`,
  );
}

/** Signs out as soon as it is shown; the button is for browsers without scripts. */
export function signOutPage(title: string, form: string): string {
  return page(
    title,
    `<p>Signing out…</p>${form}<button class="plain" form="op.logoutForm" name="logout" value="yes">Sign out</button><script>const form=document.getElementById('op.logoutForm');form.requestSubmit(document.querySelector('button'))</script>`,
  );
}

export function messagePage(title: string, message: string): string {
  return page(title, `<p>${escape(message)}</p>`);
}

function page(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${escape(title)}</title><link rel="icon" href="data:,"><style>${STYLE}</style></head><body><main><h1>${escape(title)}</h1>${body}</main></body></html>`;
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
