import type { Settings } from '../read/settings.ts';

/** Matches the text of a checked URL. */
const PORT_ZERO = /^(https?:\/\/[^/]*):0+(?=\/|$)/i;

/** The settings of a service that listens on `port`, which replaces port 0 in each of the service's own addresses; `s3Port` is that of the S3 endpoint. */
export function withListenedPort(settings: Settings, port: number, s3Port?: number): Settings {
  const { server, auth, s3 } = settings;
  const named = (url: string, to = port): string => url.replace(PORT_ZERO, `$1:${to}`);
  const { publicOrigin, oidc } = auth;
  return {
    ...settings,
    server: { ...server, port },
    s3: s3 && s3Port !== undefined ? { ...s3, port: s3Port, publicEndpoint: named(s3.publicEndpoint, s3Port) } : s3,
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
