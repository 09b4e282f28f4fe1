import { Pool } from 'undici';
import { providerAt, startBed } from './bed.ts';
import { atMost, exactly, type Figure } from './figure.ts';
import { inTurn } from './in-turn.ts';

/** Thirty times as many as one session may have. */
const TICKETS = 30_000;
const BATCH = 50;
const TOGETHER = 16;
const SIGN_INS = 5;

const CALL = {
  jsonrpc: '2.0',
  id: 1,
  method: 'transfer/create',
  params: { direction: 'download', provider: 'main', bucket: 'files', key: 'x'.repeat(1_000) },
};
const MESSAGE = JSON.stringify(Array.from({ length: BATCH }, () => CALL));

/** One viewer makes tickets without end, while other people sign in. */
export async function ticketFlood(): Promise<Figure[]> {
  const bed = await startBed({ providers: [providerAt('main', 'http://127.0.0.1:1')] });
  const pool = new Pool(bed.origin, { connections: TOGETHER });
  try {
    const headers = { ...(await bed.signIn('vic')), origin: bed.origin, 'content-type': 'application/json' };
    let refused = 0;
    const flood = () =>
      inTurn(TICKETS / BATCH, TOGETHER, async () => {
        const { body } = await pool.request({ path: '/rpc', method: 'POST', headers, body: MESSAGE });
        const answers = (await body.json()) as { result?: unknown }[];
        refused += answers.filter(({ result }) => result === undefined).length;
      });
    let signedIn = 0;
    const signIns = async (): Promise<void> => {
      for (let i = 0; i < SIGN_INS; i += 1) {
        await bed.signIn('ada');
        signedIn += 1;
      }
    };
    const growth = await bed.service.growthDuring(() => Promise.all([flood(), signIns()]));
    await signIns();
    return [
      exactly(`of ${TICKETS.toLocaleString('en')} tickets refused`, refused, 0),
      exactly('sign-ins of another person, during it and after', signedIn, 2 * SIGN_INS),
      atMost('memory grew by', growth, 150, 'MB'),
    ];
  } finally {
    await pool.destroy();
    await bed.close();
  }
}
