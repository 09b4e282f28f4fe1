import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { request } from 'undici';
import { listBuckets } from '../storage/buckets.ts';
import { putObject } from '../storage/object-write.ts';
import { presign } from '../storage/presign.ts';
import type { ObjectRef, Opened, StorageProvider } from '../storage/provider.ts';
import { withoutPolicy } from '../storage/without-policy.ts';
import type { Settings } from '../config/read/settings.ts';
import { examineConditions } from './conditions.ts';
import { examineKept } from './kept-versions.ts';
import type { Findings } from './finding.ts';

const LINK_SECONDS = 60;
const LINK_WAIT_MS = 10_000;
/** At most this many buckets are listed; they suffice to tell whether the credentials may list. */
const MOST_BUCKETS = 20;

/** Examines whether storage answers, lets the service list buckets and objects, and handles a probe object in each bucket of `writeTo`. Warns where deletions are final. */
export async function examineProvider(
  provider: StorageProvider,
  writeTo: readonly string[],
  settings: Settings,
  findings: Findings,
): Promise<void> {
  const started = performance.now();
  let buckets: readonly string[] = [];
  const answers = await findings.try(async () => {
    buckets = (await listBuckets(withoutPolicy({ provider }))).map(({ name }) => name);
    if (provider.buckets === undefined)
      findings.ok(
        `${provider.endpoint} lists ${buckets.length} ${buckets.length === 1 ? 'bucket' : 'buckets'} within ${Math.round(performance.now() - started)} ms`,
      );
  });
  if (!answers) return;
  for (const bucket of buckets.slice(0, MOST_BUCKETS)) {
    await findings.try(async () => {
      await provider.s3.ask(
        { method: 'GET', bucket, query: { 'list-type': '2', 'max-keys': '1' } },
        'ListBucketResult',
      );
      findings.ok(`\`${bucket}\` can be listed`);
      await examineKept({ provider, bucket }, settings, findings);
    }, `\`${bucket}\``);
  }
  if (buckets.length > MOST_BUCKETS)
    findings.ok(`${buckets.length - MOST_BUCKETS} further buckets were not looked into`);
  for (const bucket of writeTo) await findings.try(() => probe(provider, bucket, findings), `\`${bucket}\``);
}

async function probe(provider: StorageProvider, bucket: string, findings: Findings): Promise<void> {
  const object = withoutPolicy({ provider, bucket, key: `svc-doctor-${randomBytes(8).toString('hex')}` });
  const { key } = object;
  const content = randomBytes(32);
  /** Storage that resolves `a/../b` to `b` would write to `merged`. */
  const dotted = { sent: `${key}/a/../b`, merged: `${key}/b` };
  try {
    await putObject(object, Readable.from([content]), { contentLength: content.length });
    const { body } = await provider.s3.send({ method: 'GET', bucket, key });
    if (!body.equals(content))
      findings.fail(
        `\`${bucket}\` gave back other bytes than were written; something between the service and storage changes them`,
      );
    else findings.ok(`\`${bucket}\` takes an object and gives it back`);
    await findings.try(() => probeLink(object, content, findings));
    await findings.try(() => examineConditions(object, content, findings), 'conditions');
    await provider.s3.send({ method: 'PUT', bucket, key: dotted.sent, body: content }).then(
      async () => {
        const { body: page } = await provider.s3.send({
          method: 'GET',
          bucket,
          query: { 'list-type': '2', prefix: `${key}/` },
        });
        sayDots(provider, page.includes(`<Key>${dotted.sent}</Key>`), findings);
      },
      () => findings.ok('refuses keys with the segments `.` and `..`, as the service does'),
    );
  } finally {
    for (const each of [key, dotted.sent, dotted.merged])
      await provider.s3.send({ method: 'DELETE', bucket, key: each }).catch(() => undefined);
  }
  const left = await provider.s3.send({ method: 'GET', bucket, query: { 'list-type': '2', prefix: key } });
  if (left.body.includes('<Key>'))
    findings.fail(
      `\`${bucket}\` does not let the service delete its probe \`${key}\`; delete it, and check the permissions of the access key`,
    );
  else findings.ok(`\`${bucket}\` let the service delete its probe`);
}

function sayDots({ dotSegments }: StorageProvider, areKept: boolean, findings: Findings): void {
  if (areKept)
    findings.ok(`keeps the segments \`.\` and \`..\` of keys apart, so that \`dot_segments: keep\` is safe here`);
  else if (dotSegments === 'keep')
    findings.fail(
      'takes the key `a/../b` for another one, so that a policy for the one would open the other; set `dot_segments: refuse`',
    );
  else findings.ok('takes the key `a/../b` for another one, which `dot_segments: refuse` keeps out');
}

async function probeLink(object: Opened<ObjectRef>, content: Buffer, findings: Findings): Promise<void> {
  const { url } = await presign(object, 'GET', LINK_SECONDS);
  const { origin } = new URL(url);
  try {
    const { statusCode, body } = await request(url, { signal: AbortSignal.timeout(LINK_WAIT_MS) });
    const isSame = (await beginningOf(body, content.length + 1)).equals(content);
    if (statusCode === 200 && isSame) findings.ok(`a link to ${origin} gives the object to whoever has it`);
    else findings.fail(`a link to ${origin} is answered with status ${statusCode}; check \`public_endpoint\``);
  } catch (error) {
    findings.warn(
      `a link to ${origin} gets no answer from here (${(error as { code?: string }).code ?? String(error)}); check \`public_endpoint\`, unless only browsers reach it`,
    );
  }
}

/** The first bytes of a body, and a little more. Whoever is at `public_endpoint` could send bytes without end. */
async function beginningOf(body: Readable, bytes: number): Promise<Buffer> {
  let beginning = Buffer.alloc(0);
  for await (const piece of body as AsyncIterable<Buffer>) {
    beginning = Buffer.concat([beginning, piece]);
    if (beginning.length >= bytes) break;
  }
  return beginning;
}
