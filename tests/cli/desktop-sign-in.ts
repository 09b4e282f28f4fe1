import { signInAt, Visitor } from '../support/visitor.ts';

/** What the browser does with the address that `svc login` prints: to the provider, back to the service, and on to the loopback port. */
export async function finishDesktopSignIn(authorizeUrl: string, account: string): Promise<Response> {
  return fetch(await desktopRedirect(authorizeUrl, account));
}

/** Where the browser is sent at last: the loopback URL with the code. It is not visited. */
export async function desktopRedirect(authorizeUrl: string, account: string): Promise<string> {
  const visitor = new Visitor();
  const begun = await visitor.request(authorizeUrl);
  const called = await visitor.request(await signInAt(begun.headers.get('location') ?? '', { account, visitor }));
  const location = called.headers.get('location');
  if (location === null) throw new Error(`the callback answered ${called.status}: ${await called.text()}`);
  return location;
}
