import { patient, providerAt, startBed } from './bed.ts';
import { atMost, exactly, type Figure } from './figure.ts';
import { startStubProcess } from './stub-process.ts';

const KEYS = 3_000;
const AT_ONCE = 4;
const ARCHIVED = 1_000;
const LIMIT_MS = 50;
/** The least of so many times counts: what else the machine does, it does not do each time. */
const TIMES = 3;

/** Several searches at once through names of a kilobyte that consist of combining marks, then several archives of them; what is measured is the longest turn of the event loop. */
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
      seen = (await Promise.all(Array.from({ length: AT_ONCE }, search))).reduce((sum, each) => sum + each, 0);
      ms = Math.min(ms, await bed.service.longestBlock());
    }
    const archive = async (): Promise<boolean> => {
      const answer = await fetch(`${bed.origin}/api/providers/main/buckets/files/archive`, {
        method: 'POST',
        headers: { ...headers, origin: bed.origin, 'content-type': 'application/json' },
        body: JSON.stringify({ prefixes: [`${ARCHIVED}/marks/`] }),
      });
      const end = Buffer.from(await answer.arrayBuffer()).subarray(-22);
      return answer.ok && end.readUInt16LE(10) === ARCHIVED;
    };
    let archives = 0;
    let msOfArchives = Infinity;
    for (let i = 0; i < TIMES; i += 1) {
      await bed.service.longestBlock();
      archives = (await Promise.all(Array.from({ length: AT_ONCE }, archive))).filter(Boolean).length;
      msOfArchives = Math.min(msOfArchives, await bed.service.longestBlock());
    }
    return [
      exactly(`whole archives of ${ARCHIVED} keys, of ${AT_ONCE}`, archives, AT_ONCE),
      atMost('the longest turn of the event loop during them', msOfArchives, LIMIT_MS, 'ms'),
      exactly(`keys seen by ${AT_ONCE} searches`, seen, AT_ONCE * KEYS),
      atMost('the longest turn of the event loop', ms, LIMIT_MS, 'ms'),
    ];
  } finally {
    await bed.close();
    stub.close();
  }
}
