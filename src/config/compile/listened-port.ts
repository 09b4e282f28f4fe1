import type { Settings } from '../read/settings.ts';

/** Matches the text of a checked URL. */
const PORT_ZERO = /^(https?:\/\/[^/]*):0+(?=\/|$)/i;

/** The settings of a service that listens on `port`, which replaces port 0 in each of the service's own addresses. */
export function withListenedPort(settings: Settings, port: number): Settings {
  const { server, auth } = settings;
  const named = (url: string): string => url.replace(PORT_ZERO, `$1:${port}`);
  const { publicOrigin, oidc } = auth;
  return {
    ...settings,
    server: { ...server, port },
    auth: {
      ...auth,
      publicOrigin: named(publicOrigin),
      oidc: oidc && {
        ...oidc,
        redirectUri: named(oidc.redirectUri),
        postLogoutRedirectUri: named(oidc.postLogoutRedirectUri),
      },
    },
  };
}
