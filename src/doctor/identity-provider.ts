import type { OidcSettings, Settings } from '../config/read/settings.ts';
import { PROMPT_REMEDY, promptOf } from '../signin/desktop-prompt.ts';
import { parseClaimPath } from '../signin/claims.ts';
import { CLOCK_TOLERANCE_SECONDS } from '../signin/id-token.ts';
import { SignInProbe } from '../signin/probe.ts';
import type { Findings } from './finding.ts';

const SKEW_WARNING_SECONDS = 15;

/** The errors that a provider answers to an invalid code after it has accepted the client. `invalid_code` is Glewlwyd's. */
const CODE_ERRORS: ReadonlySet<string> = new Set(['invalid_grant', 'invalid_request', 'invalid_code']);

/** Examines discovery, keys, clock, client secret, redirect URIs, and the features that the provider declares. */
export async function examineIdentityProvider(
  oidc: OidcSettings,
  { proxy }: Settings,
  findings: Findings,
): Promise<void> {
  const probe = new SignInProbe({ ...oidc, proxy, now: Date.now, warn: (message) => findings.warn(message) });
  try {
    const isFound = await findings.try(async () => {
      await probe.discover();
      findings.ok(`${oidc.issuer} was found and reports this issuer`);
    });
    if (!isFound) return;
    await findings.try(() => examineKeys(probe, findings));
    await findings.try(() => examineClient(probe, oidc, findings));
    await findings.try(() => examineRedirect(probe, oidc, findings));
    await findings.try(() => examineDesktop(probe, oidc, findings));
    await findings.try(() => examineSignOut(probe, oidc, findings));
    await findings.try(() => examineOffer(probe, oidc, findings));
  } finally {
    await probe.close();
  }
}

async function examineKeys(probe: SignInProbe, findings: Findings): Promise<void> {
  const { usable, date } = await probe.keys();
  if (usable === 0)
    findings.fail('has no key for signatures of RS256, PS256, ES256 or EdDSA; choose one of them for this client');
  else findings.ok(`has ${usable} ${usable === 1 ? 'key' : 'keys'} for signatures`);
  if (date === undefined) return;
  // The header is in whole seconds.
  const skew = Math.round(Math.abs(Date.now() - date) / 1000);
  if (skew > CLOCK_TOLERANCE_SECONDS)
    findings.fail(
      `its clock differs by ${skew} seconds from the one here, and ID tokens are refused from ${CLOCK_TOLERANCE_SECONDS} on; set both by NTP`,
    );
  else if (skew > SKEW_WARNING_SECONDS)
    findings.warn(`its clock differs by ${skew} seconds from the one here; set both by NTP`);
  else findings.ok('its clock agrees with the one here');
}

async function examineClient(
  probe: SignInProbe,
  { clientId, clientAuth }: OidcSettings,
  findings: Findings,
): Promise<void> {
  const error = await probe.redeemNothing();
  if (error === 'invalid_client' || error === 'unauthorized_client')
    findings.fail(
      `does not know the client \`${clientId}\` with this secret and \`client_auth: ${clientAuth}\` (\`${error}\`); check \`client_id\`, \`client_secret\` and \`client_auth\``,
    );
  else if (CODE_ERRORS.has(error))
    findings.ok(`knows the client \`${clientId}\`${clientAuth === 'none' ? '' : ' and accepts its secret'}`);
  else findings.warn(`answers an invalid code with \`${error}\`, so the client secret could not be checked`);
}

async function examineRedirect(probe: SignInProbe, { redirectUri }: OidcSettings, findings: Findings): Promise<void> {
  const { status, location, error } = await probe.authorize({ prompt: 'none' });
  if (leadsTo(location, redirectUri)) {
    findings.ok(`sends people back to ${redirectUri}`);
    // Most errors are answers to `prompt=none`.
    const plain = error === undefined ? undefined : await probe.authorize({});
    if (error === 'invalid_scope')
      findings.fail('refuses the scopes of `auth.oidc.scopes`; ask for those that it knows');
    else if (plain?.error !== undefined && leadsTo(plain.location, redirectUri))
      findings.fail(
        `refuses every sign-in (\`${plain.error}\`); see that this client may use the authorization code grant with PKCE`,
      );
  } else if (status >= 400)
    findings.fail(
      `refuses to send people back to ${redirectUri} (status ${status}); register exactly this redirect URI for the client`,
    );
  else
    findings.warn(
      `shows a page although it was asked not to, so the redirect URI could not be checked; ${redirectUri} has to be registered`,
    );
}

/** How the provider refuses a sign-in before the person has signed in: an error at the redirect URI, or the status of a page. */
async function refusalOf(
  probe: SignInProbe,
  more: Readonly<Record<string, string>>,
  redirectUri: string,
): Promise<string | undefined> {
  const { status, location, error } = await probe.authorize(more);
  if (status >= 400) return `status ${status}`;
  return leadsTo(location, redirectUri) ? error : undefined;
}

/** A provider may refuse only after the person has signed in, so that what it lists counts as well. */
async function examineDesktop(
  probe: SignInProbe,
  { desktopPrompt, redirectUri }: OidcSettings,
  findings: Findings,
): Promise<void> {
  if (desktopPrompt === 'none') return;
  const refusal = await refusalOf(probe, promptOf(desktopPrompt), redirectUri);
  const { claims_supported: claims } = (await probe.discover()).metadata;
  if (refusal !== undefined) {
    // Where every sign-in is refused so, the prompt is not the reason.
    if ((await refusalOf(probe, {}, redirectUri)) === refusal) return;
    const remedy =
      desktopPrompt === 'login'
        ? `, which makes people authenticate again; ${PROMPT_REMEDY}`
        : '; set another `auth.oidc.desktop_prompt`, such as `none`';
    findings.fail(`refuses the sign-in of the desktop application and of \`svc login\` (\`${refusal}\`)${remedy}`);
  } else if (desktopPrompt === 'login' && Array.isArray(claims) && !claims.includes('auth_time')) {
    findings.warn(
      `does not list the claim \`auth_time\`, which \`svc login\` and the desktop application need; if they fail, ${PROMPT_REMEDY}`,
    );
  }
}

/** A provider that redirects, or refuses an address that is surely not registered, tells whether ours is. */
async function examineSignOut(
  probe: SignInProbe,
  { rpInitiatedLogout, postLogoutRedirectUri: uri }: OidcSettings,
  findings: Findings,
): Promise<void> {
  if (!rpInitiatedLogout) return;
  const ours = await probe.signOut(uri);
  if (ours === undefined) {
    findings.warn(
      'cannot end its own session when people sign out here; they are asked nothing when they sign in again',
    );
    return;
  }
  const isRefused = ours.status >= 400;
  const other = await probe.signOut(isRefused ? undefined : new URL('/svc-doctor-is-not-registered', uri).href);
  const isOtherRefused = other !== undefined && other.status >= 400;
  if (leadsTo(ours.location, uri) || (!isRefused && isOtherRefused))
    findings.ok(`sends people to ${uri} after sign-out`);
  else if (isRefused && !isOtherRefused)
    findings.fail(
      `refuses to send people to ${uri} after sign-out (status ${ours.status}); register exactly this post-logout redirect URI for the client`,
    );
  else
    findings.warn(
      `does not say without a session whether it knows the post-logout redirect URI; ${uri} has to be registered`,
    );
}

/** Whether a redirect goes to this address, with any query. */
function leadsTo(location: string | undefined, uri: string): boolean {
  return location?.startsWith(new URL(uri).href) === true;
}

async function examineOffer(probe: SignInProbe, oidc: OidcSettings, findings: Findings): Promise<void> {
  const {
    scopes_supported: scopes,
    claims_supported: claims,
    code_challenge_methods_supported: challenges,
  } = (await probe.discover()).metadata;
  const missing = !Array.isArray(scopes) ? [] : oidc.scopes.filter((scope) => !scopes.includes(scope));
  if (missing.length > 0)
    findings.warn(
      `does not list the scopes ${missing.map((scope) => `\`${scope}\``).join(', ')}; leave them out unless it supports them anyway`,
    );
  const [claim = ''] = parseClaimPath(oidc.groupsClaim);
  if (Array.isArray(claims) && !claims.includes(claim))
    findings.warn(
      `does not list the claim \`${claim}\`; see that it puts the groups into the ID token or the user info, else nobody has any`,
    );
  if (Array.isArray(challenges) && !challenges.includes('S256'))
    findings.warn('does not list S256, with which every sign-in here is protected; see that it takes PKCE');
}
