import http from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { createBucket } from '../../src/storage/buckets.ts';
import { startStorage } from '../../tests/support/s3-server.ts';
import { patient, providerAt, startBed } from './bed.ts';
import { exactly, type Figure } from './figure.ts';
import { inTurn } from './in-turn.ts';
import { withoutPolicy } from '../../src/storage/without-policy.ts';

const TOGETHER = 25;
/** Small objects go to storage in one piece, large ones in parts of the service's own making. */
const SMALL = { count: 400, bytes: 4_096 };
const LARGE = { count: 100, bytes: 6 * 2 ** 20 };
const PARTS = { count: 500, bytes: 262_144 };
const SETTLE_MS = 30_000;

/** Clients that go away in the middle of an upload: of an object, or of a part of a begun one. The storage is s3rver, or what `SVC_TEST_S3_ENDPOINT` names. */
export async function goneClients(): Promise<Figure[]> {
  const s3 = await startStorage();
  const name = s3.bucketName();
  await createBucket(withoutPolicy({ provider: s3.provider, bucket: name }));
  const bed = await startBed({ providers: [patient(providerAt('main', s3.options.endpoint, s3.options.credentials))] });
  const bucket = `${bed.origin}/api/providers/main/buckets/${name}`;
  try {
    const headers = await bed.signIn('ada');
    const begun = await fetch(`${bucket}/uploads`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: '{"key":"gone-in-parts"}',
    });
    const { id } = (await begun.json()) as { id: string };
    const upload = `${bucket}/uploads/${encodeURIComponent(id)}`;
    await inTurn(SMALL.count, TOGETHER, (i) => goAway(`${bucket}/object?key=gone-small-${i}`, headers, SMALL.bytes));
    await inTurn(LARGE.count, TOGETHER, (i) => goAway(`${bucket}/object?key=gone-large-${i}`, headers, LARGE.bytes));
    await inTurn(PARTS.count, TOGETHER, (i) =>
      goAway(`${upload}/parts/${1 + (i % 100)}?key=gone-in-parts`, headers, PARTS.bytes),
    );
    // Storage too takes a moment to see that nobody sends any more.
    await wait(2_000);
    // The one that the clients began themselves stays, so that it can go on.
    for (const end = performance.now() + SETTLE_MS; performance.now() < end && (await s3.openUploads(name)).length > 1;)
      await wait(200);
    const { parts } = (await (await fetch(`${upload}?key=gone-in-parts`, { headers })).json()) as { parts: unknown[] };
    await fetch(`${upload}?key=gone-in-parts`, { method: 'DELETE', headers });
    const { objects } = (await (await fetch(`${bucket}/objects?prefix=gone&limit=1000`, { headers })).json()) as {
      objects: unknown[];
    };
    const all = SMALL.count + LARGE.count + PARTS.count;
    return [
      exactly(`objects after ${all} uploads that broke off`, objects.length, 0),
      exactly('parts that count though they broke off', parts.length, 0),
      exactly('multipart uploads left behind', (await s3.openUploads(name)).length, 0),
    ];
  } finally {
    await bed.close();
    await s3.close();
  }
}

/** Sends so many bytes of twice as many, and goes away: at once, or a moment later. */
function goAway(url: string, headers: http.OutgoingHttpHeaders, bytes: number): Promise<void> {
  return new Promise((resolve) => {
    const req = http.request(url, {
      method: 'PUT',
      headers: { ...headers, 'content-length': 2 * bytes },
      agent: false,
    });
    req.on('error', () => undefined);
    req.once('close', resolve);
    req.write(Buffer.alloc(bytes), () => setTimeout(() => req.destroy(), Math.random() * 60));
  });
}
