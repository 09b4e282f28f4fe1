import { rowsOfService } from '../../src/http/rows.ts';
import { rpcSchemas } from '../../src/wire/rpc.ts';
import { makeWorkload } from '../bench-policy/workload.ts';
import { patient, providerAt, startBed, type Bed } from './bed.ts';
import { atMost, exactly, type Figure } from './figure.ts';
import { startStubProcess } from './stub-process.ts';
import { worstBodies, type BodySchema, type Names } from './worst-body.ts';

const LIMIT_MS = 50;
/** What is too long is tried so many times, and the least counts: what the body costs it costs each time, and what else the machine does it does not. */
const TIMES = 3;
/** Rules of the caller's own policy, all about one bucket. */
const RULES = 1_000;
const KEYS = 256;
const RPC_BYTES = 1_048_576;
const API_KEY_BYTES = 65_536;
/** Keys of a kilobyte whose every character takes nine in a listing. */
const LONG_FOLDER = `1000/${'\u4e00'.repeat(330)}/`;
const SHOWN = 6;
const REFERENCE_TIMES = 50;
/** Long, for a machine that is busy with other things. */
const PATIENCE_MS = 20_000;
/** An archive takes its time, and its beginning is what costs. */
const ARCHIVE_READ_MS = 1_500;
const NO_ANSWER = 0;

/** What is sent, and where. */
type Attempt = {
  readonly to: string;
  readonly what: string;
  readonly path: string;
  readonly contentType: string;
  readonly body: string;
};
type Headers = Readonly<Record<string, string>>;
type Measured = { readonly to: string; readonly what: string; readonly status: number; readonly ms: number };

/** The worst bodies of every route and method, from a person with many rules; what is measured is the longest turn of the service's event loop. */
export async function worstBodiesOfAll(): Promise<Figure[]> {
  const stub = await startStubProcess();
  const { policy } = makeWorkload('hot', RULES);
  const bed = await startBed({
    providers: [patient(providerAt('main', stub.url))],
    policies: [{ version: 1, name: policy.name, rules: policy.rules }],
    apiKeys: { capacity: KEYS, per_subject: KEYS },
  });
  try {
    const headers = { ...(await bed.signIn('ada')), origin: bed.origin };
    const idle = await measure(bed, { to: 'nothing', what: '' }, () => Promise.resolve(0));
    const keyId = (
      await createKey(bed, headers, '{"rules":[{"actions":["objects:get"],"resources":[{"type":"all"}]}]}')
    ).id;
    const attempts = [...rowAttempts(), ...rpcAttempts(keyId)];
    const measured: Measured[] = [];
    for (const attempt of attempts)
      measured.push(await measure(bed, attempt, () => send(bed, headers, attempt).catch(() => NO_ANSWER)));
    measured.push(...(await usesOfKeys(bed, headers)), await listOfKeys(bed, headers));
    const reference = costOfReference();
    const accepted = new Set(measured.filter(({ status }) => status === 200).map(({ to }) => to));
    return [
      exactly(
        'attempts that the service did not answer',
        measured.filter(({ status }) => status === NO_ANSWER).length,
        0,
      ),
      atMost('JSON.parse of 1 MiB on this machine, for comparison', reference, LIMIT_MS, 'ms'),
      atMost('idle, the longest turn of the event loop', idle.ms, LIMIT_MS, 'ms'),
      ...worstOfEach(measured).map(({ to, what, status, ms }) =>
        atMost(
          `${to}, ${what} (${status}${accepted.has(to) ? '' : ', none accepted'}; ${(ms / reference).toFixed(1)} times JSON.parse)`,
          ms,
          LIMIT_MS,
          'ms',
        ),
      ),
    ];
  } finally {
    await bed.close();
    stub.close();
  }
}

/** What a machine makes of milliseconds: the time that the thread of this process takes to parse 1 MiB of 10,000 objects. */
function costOfReference(): number {
  const json = JSON.stringify(Array.from({ length: 10_000 }, (_, i) => ({ number: i, etag: 'x'.repeat(78) })));
  const before = process.threadCpuUsage();
  for (let i = 0; i < REFERENCE_TIMES; i += 1) JSON.parse(json);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000 / REFERENCE_TIMES;
}

function rowAttempts(): Attempt[] {
  const names = { provider: 'main', bucket: 'files', method: 'GET' };
  return rowsOfService().flatMap(({ method, path, body, bodyType, maxBodyBytes }) => {
    if (typeof body !== 'object') return [];
    const at = path
      .replace(':provider', 'main')
      .replace(':bucket', path.endsWith('/delete') ? 'refusing' : 'files')
      .replace(':id', 'stub');
    const encode = bodyType === 'application/json' ? (json: string) => json : formOf;
    return worstBodies(body as BodySchema, names, maxBodyBytes).map(({ what, json }) => ({
      to: `${method.toUpperCase()} ${path}`,
      what,
      path: at,
      contentType: bodyType,
      body: encode(json),
    }));
  });
}

function formOf(json: string): string {
  const value: unknown = json.startsWith('[') ? { nested: json } : JSON.parse(json);
  return new URLSearchParams(Object.entries(value as Record<string, string>)).toString();
}

function rpcAttempts(keyId: string): Attempt[] {
  return Object.entries(rpcSchemas).flatMap(([method, { params }]) => {
    const isKeys = method.startsWith('apiKey/');
    const names: Names = {
      provider: 'main',
      bucket: method === 'object/delete' ? 'refusing' : 'files',
      id: isKeys ? keyId : 'stub',
      expiresAt: null,
      ...(method === 'object/list' ? { prefix: LONG_FOLDER } : {}),
    };
    return worstBodies(params as BodySchema, names, (isKeys ? API_KEY_BYTES : RPC_BYTES) - 100).map(
      ({ what, json }) => ({ to: method, what, ...call(method, json) }),
    );
  });
}

function call(method: string, params: string): Pick<Attempt, 'path' | 'contentType' | 'body'> {
  return {
    path: '/rpc',
    contentType: 'application/json',
    body: `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`,
  };
}

/** @returns the HTTP status; of a call that failed that of its problem. */
async function send(
  bed: Bed,
  headers: Headers,
  { to, path, contentType, body }: Pick<Attempt, 'to' | 'path' | 'contentType' | 'body'>,
): Promise<number> {
  const method = to.startsWith('PUT ') ? 'PUT' : 'POST';
  const enough = new AbortController();
  const signal = AbortSignal.any([enough.signal, AbortSignal.timeout(PATIENCE_MS)]);
  const answer = await fetch(bed.origin + path, {
    method,
    headers: { ...headers, 'content-type': contentType },
    body,
    redirect: 'manual',
    signal,
  });
  if (path.endsWith('/archive')) setTimeout(() => enough.abort(), ARCHIVE_READ_MS);
  const text = await answer.text().catch(() => '');
  return path === '/rpc' && answer.status === 200 && text.startsWith('{"jsonrpc":"2.0","id":1,"error"')
    ? 400
    : answer.status;
}

async function measure(
  bed: Bed,
  { to, what }: { readonly to: string; readonly what: string },
  work: () => Promise<number>,
): Promise<Measured> {
  let ms = Infinity;
  let status = 0;
  for (let i = 0; i < TIMES && ms > LIMIT_MS; i += 1) {
    await bed.service.longestBlock();
    status = await work();
    ms = Math.min(ms, await bed.service.longestBlock());
  }
  return { to, what, status, ms };
}

/** A key is compiled when it is used first: each time a new one. */
async function usesOfKeys(bed: Bed, headers: Headers): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (const { what, json } of worstBodies(
    rpcSchemas['apiKey/create'].params as object,
    { provider: 'main', bucket: 'everything', expiresAt: null },
    API_KEY_BYTES - 100,
  )) {
    if (!what.includes('choice') || what.includes('without')) continue;
    const { scope } = JSON.parse(json) as { scope: unknown };
    let ms = Infinity;
    let status = 0;
    for (let i = 0; i < TIMES; i += 1) {
      const { credential } = await createKey(bed, headers, JSON.stringify(scope));
      await bed.service.longestBlock();
      status = await send(
        bed,
        { authorization: `Bearer ${credential}` },
        { to: '', ...call('permission/list', '{"provider":"main"}') },
      );
      ms = Math.min(ms, await bed.service.longestBlock());
    }
    measured.push({ to: 'first use of a key', what, status, ms });
  }
  return measured;
}

async function listOfKeys(bed: Bed, headers: Headers): Promise<Measured> {
  const [largest] = worstBodies(
    rpcSchemas['apiKey/create'].params as BodySchema,
    { provider: 'main', bucket: 'files', expiresAt: null },
    API_KEY_BYTES - 100,
  ).filter(({ what }) => what.startsWith('short texts, choice 3'));
  const create = { to: '', ...call('apiKey/create', largest!.json) };
  while ((await send(bed, headers, create)) === 200);
  const list = { to: '', ...call('apiKey/list', '{}') };
  return measure(bed, { to: 'apiKey/list', what: `${KEYS} of the largest keys` }, () => send(bed, headers, list));
}

async function createKey(
  bed: Bed,
  headers: Headers,
  scope: string,
): Promise<{ readonly id: string; readonly credential: string }> {
  const answer = await fetch(`${bed.origin}/rpc`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: call('apiKey/create', `{"description":"one","scope":${scope}}`).body,
  });
  const { result } = (await answer.json()) as { result?: { key: { id: string }; credential: string } };
  if (result === undefined) throw new Error('a key was not made');
  return { id: result.key.id, credential: result.credential };
}

/** The worst of each route and method, the worst of all first. */
function worstOfEach(measured: readonly Measured[]): Measured[] {
  const worst = new Map<string, Measured>();
  for (const each of measured) if (each.ms > (worst.get(each.to)?.ms ?? 0)) worst.set(each.to, each);
  return [...worst.values()].sort((a, b) => b.ms - a.ms).filter(({ ms }, i) => i < SHOWN || ms > LIMIT_MS);
}
