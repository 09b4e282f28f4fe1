import type { Connection } from './connection.ts';
import { problemOf } from './service-failure.ts';

/**
 * Ends the session on the server. It succeeds when the session has already ended.
 *
 * @returns the URL at which to end it at the provider, if the service gives one.
 */
export async function signOut(connection: Connection): Promise<string | undefined> {
  const { status, text } = await connection.post('/v1/auth/logout');
  if (status === 204 || status === 401) return undefined;
  if (status >= 400) throw problemOf(status, text);
  const { endSessionUrl } = JSON.parse(text) as { endSessionUrl?: string };
  return endSessionUrl !== undefined && /^https?:\/\//.test(endSessionUrl) ? endSessionUrl : undefined;
}
