import * as openid from 'openid-client';

export type ClientAuth = 'basic' | 'post' | 'none';

/** How this service authenticates at the token endpoint. A public client has no secret. */
export function clientAuthWith(clientAuth: ClientAuth, secret: string | undefined): openid.ClientAuth {
  if (secret === undefined) return openid.None();
  return clientAuth === 'basic' ? basicWith(secret) : openid.ClientSecretPost(secret);
}

/** HTTP Basic. openid-client would also escape `-`, `_`, `.` and `~`, and providers that do not unescape them then refuse the right secret. */
function basicWith(secret: string): openid.ClientAuth {
  return (_server, client, _body, headers) => {
    headers.set(
      'authorization',
      `Basic ${Buffer.from(`${formEncoded(client.client_id)}:${formEncoded(secret)}`).toString('base64')}`,
    );
  };
}

/** Form-encodes a text as RFC 6749 section 2.3.1 requires. `~` need not be encoded; every provider reads it the same. */
function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1).replaceAll('%7E', '~');
}
