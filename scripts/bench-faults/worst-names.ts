import { patient, providerAt, startBed } from './bed.ts';
import { atMost, exactly, type Figure } from './figure.ts';
import { startStubProcess } from './stub-process.ts';

const KEYS = 3_000;
const SEARCHES = 4;
const LIMIT_MS = 50;
/** The least of so many times counts: what else the machine does, it does not do each time. */
const TIMES = 3;

/** Several searches at once through names of a kilobyte that consist of combining marks; what is measured is the longest turn of the event loop. */
export async function worstNames(): Promise<Figure[]> {
  const stub = await startStubProcess();
  const bed = await startBed({ providers: [patient(providerAt('main', stub.url))] });
  try {
    const headers = await bed.signIn('ada');
    const search = async (): Promise<number> => {
      const answer = await fetch(`${bed.origin}/api/providers/main/buckets/files/search?q=zz&prefix=${KEYS}/marks/`, {
        headers,
      });
      const lines = (await answer.text())
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { readonly seen?: number });
      return lines.findLast((line) => line.seen !== undefined)?.seen ?? 0;
    };
    let seen = 0;
    let ms = Infinity;
    for (let i = 0; i < TIMES; i += 1) {
      await bed.service.longestBlock();
      seen = (await Promise.all(Array.from({ length: SEARCHES }, search))).reduce((sum, each) => sum + each, 0);
      ms = Math.min(ms, await bed.service.longestBlock());
    }
    return [
      exactly(`keys seen by ${SEARCHES} searches`, seen, SEARCHES * KEYS),
      atMost('the longest turn of the event loop', ms, LIMIT_MS, 'ms'),
    ];
  } finally {
    await bed.close();
    stub.close();
  }
}
