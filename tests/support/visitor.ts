/** A browser without a window: it keeps cookies and says where it is sent. */
export class Visitor {
  /** By origin, then by name. */
  readonly #cookies = new Map<string, Map<string, string>>();

  cookie(origin: string, name: string): string | undefined {
    return this.#cookies.get(origin)?.get(name);
  }

  /** Requests an URL and follows no redirect. */
  async request(url: string, init: RequestInit = {}): Promise<Response> {
    const { origin } = new URL(url);
    const jar = this.#cookies.get(origin) ?? new Map<string, string>();
    this.#cookies.set(origin, jar);
    const headers = new Headers(init.headers);
    if (jar.size > 0) headers.set('cookie', Array.from(jar, ([name, value]) => `${name}=${value}`).join('; '));
    if (!headers.has('accept')) headers.set('accept', 'text/html');
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) keep(jar, line);
    return response;
  }
}

export type SignInChoice = {
  /** The account's `sub`; `cancel` presses Cancel. */
  readonly account: string;
  /** For a person who already has a session at the provider. */
  readonly visitor?: Visitor;
};

/**
 * Goes from an authorization URL through the login page of `startIdentityProvider` and returns the callback URL, which is not visited.
 */
export async function signInAt(
  authorizationUrl: string,
  { account, visitor = new Visitor() }: SignInChoice,
): Promise<string> {
  const { origin } = new URL(authorizationUrl);
  let url = authorizationUrl;
  for (let step = 0; step < 10; step += 1) {
    const response = await visitor.request(url);
    const next = response.headers.get('location') === null ? await choose(visitor, url, response, account) : response;
    url = new URL(next.headers.get('location') ?? '', url).href;
    if (new URL(url).origin !== origin) return url;
  }
  throw new Error(`the identity provider went on redirecting at ${url}`);
}

/** Submits the form of a page of local users as a browser does: to where its action says, with the value of a button. */
export async function submitLocalUser(
  page: Response,
  {
    subject,
    visitor,
    headers = {},
  }: { readonly subject: string; readonly visitor: Visitor; readonly headers?: Record<string, string> },
): Promise<Response> {
  const action = /<form method="post" action="([^"]+)"/.exec(await page.text())?.[1];
  if (action === undefined) throw new Error(`no form of local users at ${page.url} (${page.status})`);
  return visitor.request(new URL(action.replaceAll('&#38;', '&'), page.url).href, {
    method: 'POST',
    body: new URLSearchParams({ subject }),
    headers,
  });
}

/** Ends the session at the provider, as the browser does with an end-session URL, and returns where it is sent afterwards. */
export async function signOutAt(endSessionUrl: string, visitor: Visitor): Promise<string> {
  const response = await visitor.request(endSessionUrl);
  const page = await response.text();
  const action = /action="([^"]+)"/.exec(page)?.[1];
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(page)?.[1];
  if (action === undefined || xsrf === undefined)
    throw new Error(`no sign-out form at the identity provider (${response.status}): ${page.slice(0, 2000)}`);
  const done = await visitor.request(action, { method: 'POST', body: new URLSearchParams({ xsrf, logout: 'yes' }) });
  return new URL(done.headers.get('location') ?? '', endSessionUrl).href;
}

async function choose(visitor: Visitor, url: string, response: Response, account: string): Promise<Response> {
  if (response.status !== 200)
    throw new Error(
      `the identity provider answered ${response.status} at ${url}: ${(await response.text()).replace(/<style>.*<\/style>/s, '').slice(0, 600)}`,
    );
  const body: Record<string, string> = account === 'cancel' ? { cancel: 'yes' } : { account };
  return await visitor.request(url, { method: 'POST', body: new URLSearchParams(body) });
}

function keep(jar: Map<string, string>, line: string): void {
  const [pair = '', ...attributes] = line.split(';');
  const at = pair.indexOf('=');
  const name = pair.slice(0, at).trim();
  const gone = attributes.some((attribute) => /^\s*(?:max-age=0|expires=Thu, 01 Jan 1970)/i.test(attribute));
  if (gone) jar.delete(name);
  else jar.set(name, pair.slice(at + 1));
}
