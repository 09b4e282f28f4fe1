import {
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { AuditStore, AuditStoreOptions } from '../../../src/audit/audit-store.ts';
import { headFile, segmentFile, segmentsIn, type Head } from '../../../src/audit/chain-files.ts';
import { hashOf } from '../../../src/audit/chain-walk.ts';
import type { SinkOptions } from '../../../src/audit/sink/sink-options.ts';
import { PrivateAuthority, startTlsFront } from '../../support/private-authority.ts';
import { AuditFolder, change, read } from '../../audit/support/audit-folder.ts';
import { Collector, seqOf } from '../../audit/support/collector.ts';
import { until } from '../../audit/support/until.ts';

const TOKEN = 'Bearer a-token-that-nobody-may-see';
const NO_TLS = { ca: undefined, cert: undefined, key: undefined };

let folder: AuditFolder;
let collector: Collector;
let url: string;
let logged: { readonly level: string; readonly message: string; readonly fields: Readonly<Record<string, unknown>> }[];

beforeEach(async () => {
  folder = new AuditFolder();
  collector = new Collector();
  url = await collector.listen();
  logged = [];
});
afterEach(async () => {
  collector.always = (res) => void res.destroy();
  await folder.remove();
  await collector.close();
});

function sink(more: Partial<SinkOptions> = {}): SinkOptions {
  return {
    name: 'siem',
    target: { type: 'http', url, headers: { authorization: TOKEN }, tls: NO_TLS, proxy: undefined },
    timeoutMs: 1_000,
    spoolBytes: 1_073_741_824,
    ...more,
  };
}

function start(options: Partial<AuditStoreOptions> = {}, now?: () => number): Promise<AuditStore> {
  const at =
    (level: string) =>
    (message: string, fields: object = {}) =>
      void logged.push({ level, message, fields: { ...fields } });
  const log = { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') };
  return folder.open({ sinks: [sink()], ...options }, now, log);
}

/** Waits until the sink has the last line. A sink that has not begun yet may lack the time to send anything before the store closes. */
async function sent(): Promise<void> {
  await until(() => collector.lines().at(-1) === folder.lines().at(-1), 'the last line');
}

function fileOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    // It was closed in this moment.
    return '';
  }
}

const saidOf = (part: string) => logged.filter(({ message }) => message.includes(part));

describe('a sink of the audit that is reached by HTTP', () => {
  it('gets every line as it stands in the file, and after a restart what came since', async () => {
    const first = await start();
    for (const key of ['a', 'b', 'ü/日本']) await first.write(change(key));
    await sent();
    void first.write(read('c'));
    await first.close();
    expect(collector.lines()).toEqual(folder.lines());
    const before = collector.taken.length;
    const second = await start();
    await second.write(change('d'));
    await until(() => collector.lines().length === folder.lines().length, 'the line of the second run');
    await second.close();
    expect(collector.lines()).toEqual(folder.lines());
    const again = collector.taken.slice(before).flatMap(({ lines }) => lines.map(seqOf));
    expect(again[0]).toBe(6);
    expect(collector.taken[0]!.headers).toMatchObject({
      'content-type': 'application/x-ndjson',
      authorization: TOKEN,
      'svc-audit-lines': expect.stringMatching(/^1-\d$/),
    });
  });

  it.each<[string, (res: Parameters<NonNullable<Collector['always']>>[0]) => void, RegExp]>([
    ['fails', (res) => void res.writeHead(500).end('no'), /status 500/],
    ['redirects', (res) => void res.writeHead(307, { location: `${url}/elsewhere` }).end(), /status 307/],
    ['cuts the connection', (res) => void res.destroy(), /closed|hang up|reset/i],
    ['does not answer', () => undefined, /timeout|aborted/i],
    ['asks to be left alone', (res) => void res.writeHead(429, { 'retry-after': '2' }).end(), /status 429/],
  ])('that %s gets the lines again, and nobody waits for it', async (what, misbehave, cause) => {
    collector.always = misbehave;
    const store = await start();
    // While it misbehaves, all of these are acknowledged.
    for (let i = 0; i < 20; i += 1) await store.write(change(`k${i}`));
    collector.always = undefined;
    collector.misbehaviours.push(misbehave, misbehave);
    const asked = performance.now();
    await until(() => store.sinks()[0]!.isFailing, 'a failure');
    expect(store.sinks()[0]).toMatchObject({ name: 'siem', sentLines: 0, skippedLines: 0 });
    expect(store.sinks()[0]!.unsentBytes).toBeGreaterThan(0);
    expect(store.sinks()[0]!.lagSeconds).toBeGreaterThan(0);
    await until(() => collector.lines().length === 21, 'all lines');
    if (what === 'asks to be left alone') expect(performance.now() - asked).toBeGreaterThan(4_000);
    await until(() => !store.sinks()[0]!.isFailing && store.sinks()[0]!.lagSeconds === 0, 'no failure');
    expect(saidOf('takes no lines')).toMatchObject([
      { level: 'error', fields: { sink: 'siem', instance: 'one', cause: expect.stringMatching(cause) } },
    ]);
    expect(saidOf('takes lines again')).toHaveLength(1);
    await store.close();
    expect(collector.lines()).toEqual(folder.lines());
    expect(JSON.stringify(logged)).not.toContain('a-token');
    expect(collector.seen.every(({ headers }) => headers.authorization === TOKEN)).toBe(true);
  });

  it('with a filter gets what it wants alone, and does not wait with the rest', async () => {
    const only = { operations: ['object/write'], outcomes: ['done'], places: ['main/files/incoming/'] };
    const store = await start({ sinks: [sink({ only })] });
    for (const key of ['private/a', 'incoming/a', 'private/b', 'incoming/b', 'private/c'])
      await store.write(change(key));
    await until(() => collector.lines().length === 2 && store.sinks()[0]!.unsentBytes === 0, 'both lines');
    expect(collector.lines().map((line) => /incoming\/\w/.exec(line)?.[0])).toEqual(['incoming/a', 'incoming/b']);
    expect(store.sinks()[0]).toMatchObject({ sentLines: 2, skippedLines: 0, isFailing: false });
    await store.close();
    expect(folder.verify().flatMap(({ faults }) => faults)).toEqual([]);
  });

  it('has what waits counted before the first lines are taken', async () => {
    const before = await start({ sinks: [], segmentBytes: 1_000 });
    for (let i = 0; i < 20; i += 1) await before.write(change(`waiting-${i}`));
    await before.close();
    collector.always = (res, received) => {
      if (collector.taken.length > 0) return;
      collector.taken.push(received);
      res.writeHead(204).end();
    };
    const store = await start({ sinks: [sink({ timeoutMs: 30_000 })] });
    await until(() => store.sinks()[0]!.sentLines > 0, 'the first lines');
    expect(store.sinks()[0]!.unsentBytes).toBeGreaterThan(1_000);
  });

  it('gets fewer lines at once when it says that they are too many, and lacks one alone that is too large', async () => {
    collector.always = (res, received) => {
      const isTooLarge = received.lines.length > 2 || received.lines.some((line) => line.includes('"key":"huge"'));
      if (!isTooLarge) collector.taken.push(received);
      res.writeHead(isTooLarge ? 413 : 200).end();
    };
    const store = await start();
    for (const key of ['a', 'b', 'c', 'huge', 'd', 'e']) await store.write(change(key));
    await until(() => collector.lines().length === 6, 'all lines but one');
    await until(() => store.sinks()[0]!.skippedLines === 1, 'one skipped line');
    await store.close();
    expect(collector.lines()).toEqual(folder.lines().filter((line) => !line.includes('huge')));
    expect(saidOf('will never receive some lines')).toMatchObject([
      { level: 'error', fields: { lines: 1, before: 6, total: 1 } },
    ]);
  });

  it.each<[string, (lines: readonly string[]) => number]>([
    ['it is too slow for many', ({ length }) => length * 4],
    ['something between cuts them', ({ length }) => (length > 80 ? -1 : 0)],
  ])('gets fewer lines at once when %s', async (_why, msFor) => {
    collector.always = (res, received) => {
      const ms = msFor(received.lines);
      if (ms < 0) return void res.destroy();
      setTimeout(() => {
        if (!res.destroyed) collector.taken.push(received);
        res.writeHead(200).end();
      }, ms);
    };
    const store = await start({ sinks: [sink({ timeoutMs: 300 })] });
    await Promise.all(Array.from({ length: 120 }, async (_, i) => store.write(change(`k${i}`))));
    await until(() => collector.lines().length === folder.lines().length, 'all lines', 30_000);
    await store.close();
    expect(collector.lines()).toEqual(folder.lines());
  });

  it.each<[string, (res: Parameters<NonNullable<Collector['always']>>[0]) => void]>([
    ['goes on talking', (res) => void setInterval(() => void res.write('x'), 50).unref()],
    ['cuts the connection in the middle of it', (res) => void setTimeout(() => void res.destroy(), 50)],
    ['says too much', (res) => void res.end('x'.repeat(10_000_000))],
  ])('has the lines when it says so and then %s, and the next ones follow', async (_what, then) => {
    collector.always = (res, received) => {
      collector.taken.push(received);
      res.writeHead(200).write('x');
      then(res);
    };
    const store = await start({ sinks: [sink({ timeoutMs: 60_000 })] });
    for (const key of ['a', 'b']) {
      await store.write(change(key));
      await until(() => collector.lines().length === folder.lines().length, `the line ${key}`, 30_000);
    }
    await store.close();
    expect(collector.taken.flatMap(({ lines }) => lines)).toEqual(folder.lines());
  });

  it('gets more lines at once again, twice as many each time, when it takes them', async () => {
    collector.always = (res, received) => {
      if (received.lines.length === 1 || collector.taken.length > 0) collector.always = undefined;
      else return void res.writeHead(413).end();
      collector.taken.push(received);
      res.writeHead(204).end();
    };
    const before = await start({ sinks: [] });
    await Promise.all(Array.from({ length: 120 }, async (_, i) => before.write(change(`k${i}`))));
    await before.close();
    const store = await start();
    await until(() => collector.lines().length === folder.lines().length, 'all lines');
    await store.close();
    expect(collector.taken.slice(0, 5).map(({ lines }) => lines.length)).toEqual([1, 2, 4, 8, 16]);
  });

  it('goes on though its cursor cannot be written, and the log says so once', async () => {
    const store = await start();
    const inTheWay = join(folder.chain, 'sink.siem.json.next');
    mkdirSync(inTheWay);
    for (const key of ['a', 'b', 'c']) {
      await store.write(change(key));
      await until(() => collector.lines().length === folder.lines().length, `the line ${key}`);
    }
    rmdirSync(inTheWay);
    await store.write(change('d'));
    await store.close();
    expect(collector.lines()).toEqual(folder.lines());
    expect(saidOf('cannot be written')).toMatchObject([
      { level: 'error', fields: { sink: 'siem', cause: expect.stringContaining('EISDIR') } },
    ]);
    const before = collector.taken.length;
    await (await start()).close();
    expect(collector.taken).toHaveLength(before);
  });

  it('goes on where it was at each further restart, and lets go of what is old then', async () => {
    const DAY_MS = 86_400_000;
    let now = Date.now();
    for (let run = 1; run <= 4; run += 1) {
      collector.taken.length = 0;
      const store = await start({ retentionMs: DAY_MS }, () => now);
      await store.write(change(`of run ${run}`));
      await sent();
      await store.close();
      expect(
        collector.taken
          .flatMap(({ lines }) => lines)
          .filter((line) => line.includes('of run'))
          .map((line) => /of run \d/.exec(line)![0]),
      ).toEqual([`of run ${run}`]);
      now += 3 * DAY_MS;
    }
    const last = await start({ retentionMs: DAY_MS }, () => now);
    await until(() => !segmentsIn(folder.chain).includes(3), 'the removal of what is old');
    await last.close();
    expect(saidOf('sink begins')).toHaveLength(1);
  });

  it('that calls every line too large loses them slowly, not all at once', async () => {
    collector.always = (res) => void res.writeHead(413).end();
    const store = await start();
    await Promise.all(Array.from({ length: 200 }, async (_, i) => store.write(change(`k${i}`))));
    await until(() => store.sinks()[0]!.skippedLines > 0, 'a skipped line');
    await wait(3_000);
    expect(store.sinks()[0]!.skippedLines).toBeLessThan(8);
    collector.always = undefined;
    await until(() => collector.lines().length > 190, 'the rest');
    await store.close();
    expect(saidOf('will never receive some lines').length).toBe(folder.lines().length - collector.lines().length);
  });

  it('gets every line again when an older copy of the chain was put back', async () => {
    const first = await start();
    await first.write(change('a'));
    await sent();
    await first.close();
    const copy = readdirSync(folder.chain)
      .filter((name) => name.startsWith('0000'))
      .map((name) => [name, readFileSync(join(folder.chain, name))] as const);
    const second = await start();
    for (let i = 0; i < 20; i += 1) await second.write(change(`taken back ${i}`));
    await sent();
    await second.close();
    for (const name of readdirSync(folder.chain)) if (name.startsWith('0000')) rmSync(join(folder.chain, name));
    for (const [name, bytes] of copy) writeFileSync(join(folder.chain, name), bytes);
    collector.taken.length = 0;
    const third = await start();
    await third.write(change('after'));
    await sent();
    await third.close();
    expect(collector.lines()).toEqual(folder.lines());
  });

  it('lacks the oldest lines when more wait than `spool_bytes`, and the log says how many', async () => {
    collector.always = (res) => void res.writeHead(503).end();
    const store = await start({ sinks: [sink({ spoolBytes: 150_000 })] });
    for (let i = 0; i < 30; i += 1)
      await Promise.all(Array.from({ length: 50 }, async (_, j) => store.write(change(`${i}-${j}`))));
    await until(() => (store.sinks()[0]?.skippedLines ?? 0) > 0, 'skipped lines');
    collector.always = undefined;
    await until(() => collector.lines().length > 0 && store.sinks()[0]!.unsentBytes === 0, 'the rest');
    await store.close();
    const all = folder.lines();
    const got = collector.lines();
    // Lines that were on their way while older ones were given up may have arrived too.
    const taken = new Set(got);
    expect(got).toEqual(all.filter((line) => taken.has(line)));
    expect(taken).not.toContain(all[0]);
    const newest = all.slice(-150);
    expect(newest.join('\n').length).toBeGreaterThan(65_536);
    expect(got.slice(-newest.length)).toEqual(newest);
    expect(saidOf('will never receive some lines').reduce((sum, { fields }) => sum + Number(fields['lines']), 0)).toBe(
      all.length - got.length,
    );
    expect(store.sinks()[0]!.skippedLines).toBe(all.length - got.length);
  });

  it('keeps segments from being removed for their age until they are sent', async () => {
    const DAY_MS = 86_400_000;
    let now = Date.now();
    collector.always = (res) => void res.writeHead(503).end();
    const first = await start({ retentionMs: DAY_MS }, () => now);
    await first.write(change('old'));
    now += DAY_MS;
    await first.write(change('not quite as old'));
    await first.close();
    now += 3 * DAY_MS;
    const second = await start({ retentionMs: DAY_MS }, () => now);
    await second.write(change('new'));
    await until(() => saidOf('keeps what is older').length > 0, 'a word of what is kept');
    expect(String(saidOf('keeps what is older')[0]!.fields['cause'])).toContain('until it is sent to the sink `siem`');
    expect(segmentsIn(folder.chain)).toContain(1);
    collector.always = undefined;
    await until(() => collector.lines().some((line) => line.includes('"key":"new"')), 'all lines');
    await second.close();
    const third = await start({ retentionMs: DAY_MS }, () => now);
    await until(() => !segmentsIn(folder.chain).includes(1), 'the removal of the first segment');
    await third.close();
    expect(folder.verify()).toMatchObject([{ faults: [] }]);
    expect(collector.lines().map(seqOf)).toEqual(collector.lines().map((_, i) => i + 1));
  });

  it('is sent nothing before an authority that is trusted vouches for it', async () => {
    const authority = new PrivateAuthority();
    const front = await startTlsFront(url, authority.issue());
    const target = (ca: readonly string[] | undefined) =>
      ({
        type: 'http',
        url: `https://127.0.0.1:${front.port}/ingest`,
        headers: { authorization: TOKEN },
        tls: { ...NO_TLS, ca },
        proxy: undefined,
      }) as const;
    try {
      const first = await start({ sinks: [sink({ target: target(undefined) })] });
      await first.write(change('a'));
      await until(() => saidOf('takes no lines').length > 0, 'a failure');
      await first.close();
      expect(collector.seen).toEqual([]);
      const second = await start({ sinks: [sink({ target: target([authority.certificate]) })] });
      await until(() => collector.lines().length === 2, 'all lines');
      await second.close();
    } finally {
      await front.close();
      authority.remove();
    }
  });

  it('holds no file open that was read', async () => {
    const store = await start();
    const openSegments = () =>
      readdirSync('/proc/self/fd')
        .map(fileOf)
        .filter((file) => file.startsWith(folder.path) && file.endsWith('.jsonl'));
    for (let batch = 1; batch <= 3; batch += 1) {
      await store.write(change(`k${batch}`));
      await until(() => collector.lines().length === batch + 1, 'the line');
    }
    expect(collector.seen.length).toBeGreaterThanOrEqual(3);
    await until(() => openSegments().length === 1, 'no open segment but that of the writer', 30_000);
  });

  it('goes by no cursor that somebody else wrote', async () => {
    const first = await start();
    await first.write(change('a'));
    await sent();
    await first.close();
    const file = join(folder.chain, 'sink.siem.json');
    const cursor = JSON.parse(readFileSync(file, 'utf8')) as object;
    writeFileSync(file, JSON.stringify({ ...cursor, segment: 9, at: 9, line: 1_000 }));
    collector.taken.length = 0;
    const second = await start();
    await second.write(change('b'));
    await sent();
    await second.close();
    expect(collector.lines()).toEqual(folder.lines());
  });

  it.each([
    ['an hour ago', -3_600_000],
    ['by a clock that was an hour ahead', 3_600_000],
  ])('gets the chain of a process that is gone, too, which wrote %s', async (_when, ms) => {
    const gone = await start({ instance: 'gone', sinks: [] });
    await gone.write(change('left'));
    await gone.close();
    const chain = join(folder.path, 'gone');
    const written = new Date(Date.now() + ms);
    utimesSync(segmentFile(chain, 1), written, written);
    const store = await start();
    await store.write(change('own'));
    await until(() => collector.lines('gone').length === 2 && collector.lines('one').length === 2, 'both chains');
    await store.close();
    expect(collector.lines('gone')).toEqual(folder.lines(chain));
  });

  it('counts the lines of a chain that is gone for good, also when that is sent to its end', async () => {
    const gone = await start({ instance: 'gone', sinks: [] });
    for (const key of ['a', 'huge', 'b']) await gone.write(change(key));
    await gone.close();
    const chain = join(folder.path, 'gone');
    const written = new Date(Date.now() - 3_600_000);
    utimesSync(segmentFile(chain, 1), written, written);
    collector.always = (res, received) => {
      const isTooLarge = received.lines.some((line) => line.includes('"key":"huge"'));
      if (!isTooLarge) collector.taken.push(received);
      res.writeHead(isTooLarge ? 413 : 200).end();
    };
    const store = await start();
    await store.write(change('own'));
    await until(() => collector.lines('gone').length === 3 && collector.lines('one').length === 2, 'both chains');
    await store.close();
    expect(store.sinks()).toMatchObject([{ sentLines: 5, skippedLines: 1 }]);
  });

  it('is one of several, and what one lacks another one has', async () => {
    const other = new Collector();
    try {
      const target = { type: 'http', url: await other.listen(), headers: {}, tls: NO_TLS, proxy: undefined } as const;
      collector.always = () => undefined;
      const store = await start({ sinks: [sink(), sink({ name: 'other', target })] });
      await store.write(change('a'));
      await until(() => other.lines().length === 2, 'the lines of the other one');
      expect(store.sinks().map(({ name, sentLines }) => [name, sentLines])).toContainEqual(['siem', 0]);
      await store.close();
      expect(other.lines()).toEqual(folder.lines());
      expect(saidOf('goes on with the next start')).toMatchObject([{ fields: { sink: 'siem' } }]);
    } finally {
      await other.close();
    }
  });
});

describe('a sink, for `svc audit verify`', () => {
  const [head, segment] = [() => headFile(folder.chain, 1), () => segmentFile(folder.chain, 1)];
  const faults = (seen?: Parameters<AuditFolder['verify']>[0]) =>
    folder.verify(seen).flatMap((report) => report.faults.map(({ what }) => what));

  it('is a witness of the lines that it has when somebody puts back an older signature', async () => {
    const store = await start();
    await store.write(change('a'));
    await until(() => (JSON.parse(readFileSync(head(), 'utf8')) as Head).last > 0, 'a signed line');
    const older = { head: readFileSync(head()), segment: readFileSync(segment()) };
    await store.write(change('b'));
    await until(
      () =>
        (readdirSync(folder.chain).includes('sink.siem.json')
          ? (JSON.parse(readFileSync(join(folder.chain, 'sink.siem.json'), 'utf8')) as { line: number }).line
          : 0) === folder.lines().length,
      'every line is sent',
    );
    await store.close();
    const whole = readFileSync(segment(), 'utf8');
    const lines = whole.trimEnd().split('\n');
    const last = lines.length;
    expect(faults()).toEqual([]);

    writeFileSync(head(), older.head);
    expect(faults(new Map([['one', [{ line: last, hash: hashOf(lines.at(-1)!) }]]]))).toEqual([
      `line ${last}, which was seen elsewhere, is not signed: somebody put back an older signature`,
      `line ${last}, which the sink \`siem\` has, is not signed: somebody put back an older signature`,
    ]);
    writeFileSync(segment(), whole.replace('"key":"b"', '"key":"x"'));
    expect(faults()).toEqual([`line ${last}, which the sink \`siem\` has, is different here`]);
    writeFileSync(segment(), older.segment);
    expect(faults()).toEqual([`line ${last}, which the sink \`siem\` has, is not there`]);
    // The files alone cannot show it.
    rmSync(join(folder.chain, 'sink.siem.json'));
    expect(faults()).toEqual([]);
  });

  it('is one in the log too, when the service goes on without lines that it has', async () => {
    const store = await start();
    for (const key of ['a', 'b']) await store.write(change(key));
    await sent();
    await store.close();
    logged.splice(0);
    const lines = folder.lines();
    for (const file of [head(), segment()]) rmSync(file);
    const next = await start();
    await next.write(change('c'));
    await until(() => saidOf('sink').length > 0, 'what the log says of the sink');
    await next.close();
    expect(saidOf('somebody removed them')).toEqual([
      {
        level: 'error',
        message: expect.any(String),
        fields: { sink: 'siem', instance: 'one', line: lines.length, lineHash: hashOf(lines.at(-1)!) },
      },
    ]);
  });

  it('is one in the log too, when the service goes on with other lines in place of those that it has', async () => {
    const store = await start();
    await store.write(change('a'));
    await until(() => (JSON.parse(readFileSync(head(), 'utf8')) as Head).last > 0, 'a signed line');
    const older = readFileSync(head());
    await store.write(change('b'));
    await sent();
    await store.close();
    logged.splice(0);
    collector.taken.length = 0;
    const lines = folder.lines();
    const [begin, other] = [lines.slice(0, -1), lines.at(-1)!.replace('"key":"b"', '"key":"x"')];
    writeFileSync(head(), older);
    writeFileSync(segment(), [...begin, other, ''].join('\n'));
    const next = await start();
    await next.write(change('c'));
    await until(() => collector.lines().at(-1) === folder.lines().at(-1), 'the line of the second run');
    await next.close();
    expect(saidOf('somebody removed them')).toEqual([
      {
        level: 'error',
        message: expect.any(String),
        fields: { sink: 'siem', instance: 'one', line: lines.length, lineHash: hashOf(lines.at(-1)!) },
      },
    ]);
    expect(collector.lines()).toEqual(folder.lines().filter((line) => line !== other));
    // The service does not sign them, so that this is a finding for good.
    expect(faults()).toContain('lines after line 2 were never signed');
  });
});
