import { randomBytes } from 'node:crypto';
import { sign } from 'cookie-signature';
import { Pool } from 'undici';
import { SESSION_SECRET } from '../../tests/support/app.ts';
import { providerAt, startBed } from './bed.ts';
import { atMost, exactly, type Figure } from './figure.ts';
import { inTurn } from './in-turn.ts';

const REQUESTS = 100_000;
const TOGETHER = 64;

type Attempt = { readonly path: string; readonly method: 'GET' | 'POST'; readonly headers: Record<string, string> };
const cookie = (value: string): Attempt => ({
  path: '/api/providers/main/permissions',
  method: 'GET',
  headers: { cookie: `svc_session=${encodeURIComponent(value)}` },
});
const bearer = (value: string): Attempt => ({
  path: '/v1/auth/session',
  method: 'GET',
  headers: { authorization: `Bearer ${value}` },
});
const key = (value: string): Attempt => ({
  path: '/rpc',
  method: 'POST',
  headers: { authorization: `Bearer svc_ak_${value}`, 'content-type': 'application/json' },
});
const random = (bytes = 32) => randomBytes(bytes).toString('base64url');

/** Cookies, bearer credentials and API keys that are no good, every one another; some are signed as ours are, or name a key that is there. */
export async function badCredentials(): Promise<Figure[]> {
  const bed = await startBed({ providers: [providerAt('main', 'http://127.0.0.1:1')] });
  const pool = new Pool(bed.origin, { connections: TOGETHER });
  try {
    const admin = await bed.signIn('ada');
    const sessions = async () =>
      ((await (await fetch(`${bed.origin}/api/admin/sessions`, { headers: admin })).json()) as { sessions: unknown[] })
        .sessions.length;
    const params = {
      description: 'there',
      scope: { rules: [{ actions: ['objects:read'], resources: [{ type: 'all' }] }] },
    };
    const made = await fetch(`${bed.origin}/rpc`, {
      method: 'POST',
      headers: { ...admin, origin: bed.origin, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'apiKey/create', params }),
    });
    const { id } = ((await made.json()) as { result: { key: { id: string } } }).result.key;
    const attempts: readonly (() => Attempt)[] = [
      () => cookie(random()),
      () => cookie(`s:${random()}.${random()}`),
      () => cookie(`s:${sign(random(), SESSION_SECRET)}`),
      () => bearer(random()),
      () => bearer(random(300)),
      () => key(`${randomBytes(12).toString('hex')}_${random()}`),
      () => key(`${id}_${random()}`),
      () => key(random(8)),
    ];
    const before = await sessions();
    const statuses = new Map<number, number>();
    const ask = async (i: number): Promise<void> => {
      const { statusCode, body } = await pool.request(attempts[i % attempts.length]!());
      await body.dump();
      statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1);
    };
    await inTurn(5_000, TOGETHER, ask);
    statuses.clear();
    const growth = await bed.service.growthDuring(() => inTurn(REQUESTS, TOGETHER, ask));
    return [
      exactly(`401 of ${REQUESTS.toLocaleString('en')}`, statuses.get(401) ?? 0, REQUESTS),
      exactly('sessions more than before', (await sessions()) - before, 0),
      atMost('memory grew by', growth, 100, 'MB'),
    ];
  } finally {
    await pool.destroy();
    await bed.close();
  }
}
