import * as openid from 'openid-client';

export type ClientAuth = 'basic' | 'post' | 'none';

/** How this service proves to the token endpoint who it is. A public client has no secret. */
export function clientAuthWith(clientAuth: ClientAuth, secret: string | undefined): openid.ClientAuth {
  if (secret === undefined) return openid.None();
  return clientAuth === 'basic' ? basicWith(secret) : openid.ClientSecretPost(secret);
}

/** HTTP Basic. openid-client would also escape `-`, `_`, `.` and `~`, and providers that do not unescape then refuse the right secret. */
function basicWith(secret: string): openid.ClientAuth {
  return (_server, client, _body, headers) => {
    headers.set('authorization', `Basic ${Buffer.from(`${formEncoded(client.client_id)}:${formEncoded(secret)}`).toString('base64')}`);
  };
}

/** Form-encoded as RFC 6749 section 2.3.1 asks. `~` may stay as it is, and reads the same to everyone. */
function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1).replaceAll('%7E', '~');
}
