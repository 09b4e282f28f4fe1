import { Pool } from 'undici';
import { signInAt, Visitor } from '../../tests/support/visitor.ts';
import { providerAt, startBed } from './bed.ts';
import { atMost, exactly, type Figure } from './figure.ts';
import { inTurn } from './in-turn.ts';

const VISITS = 100_000;
const TOGETHER = 64;

/** Visits to the login route by people who never come back, while one person signs in. */
export async function loginFlood(): Promise<Figure[]> {
  const bed = await startBed({ providers: [providerAt('main', 'http://127.0.0.1:1')] });
  const pool = new Pool(bed.origin, { connections: TOGETHER });
  const visitor = new Visitor();
  try {
    const statuses = new Map<number, number>();
    const visit = async (): Promise<void> => {
      const { statusCode, body } = await pool.request({
        path: '/api/auth/login?return_to=/somewhere',
        method: 'GET',
        headers: { accept: 'text/html' },
      });
      await body.dump();
      statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1);
    };
    await inTurn(5_000, TOGETHER, visit);
    statuses.clear();
    const begun = await visitor.request(`${bed.origin}/api/auth/login`);
    const growth = await bed.service.growthDuring(() => inTurn(VISITS, TOGETHER, visit));
    const finished = await visitor.request(
      await signInAt(begun.headers.get('location') ?? '', { account: 'ada', visitor }),
    );
    const me = (await (await visitor.request(`${bed.origin}/api/auth/me`)).json()) as { subject: string };
    return [
      exactly(`of ${VISITS.toLocaleString('en')} visits sent on to the provider`, statuses.get(303) ?? 0, VISITS),
      exactly('the login that was under way ends with', finished.status, 303),
      exactly('and somebody is signed in', me.subject, 'ada'),
      atMost('memory grew by', growth, 100, 'MB'),
    ];
  } finally {
    await pool.destroy();
    await bed.close();
  }
}
