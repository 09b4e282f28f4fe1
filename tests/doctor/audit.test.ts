import { chmodSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { examine } from '../../src/doctor/doctor.ts';
import { AUDIT_SECRET, AuditFolder, change } from '../audit/support/audit-folder.ts';
import { Collector } from '../audit/support/collector.ts';
import { SyslogServer } from '../audit/support/syslog-server.ts';
import { until } from '../audit/support/until.ts';
import { WrittenConfig } from '../config/written-config.ts';

const TOKEN = 'Bearer a-token-that-nobody-may-see';

let folder: AuditFolder;
let collector: Collector;
let url: string;
let written: WrittenConfig;
beforeEach(async () => {
  folder = new AuditFolder();
  collector = new Collector();
  url = await collector.listen();
  written = new WrittenConfig();
});
afterEach(async () => {
  written.remove();
  await collector.close();
  await folder.remove();
});

async function said(sink: object = {}, audit: object = {}): Promise<string[]> {
  const { settings, faults } = written.load({
    auth: { enabled: false },
    providers: [],
    audit: {
      path: folder.path,
      instance: 'one',
      signing_secret: AUDIT_SECRET,
      sinks: [{ name: 'siem', url, ...sink }],
      ...audit,
    },
  });
  if (settings === undefined) throw new Error(JSON.stringify(faults));
  const lines: string[] = [];
  await examine(settings, {
    writeTo: [],
    tell: ({ state, what, text }) => void lines.push(`${state} ${what}: ${text}`),
  });
  return lines.filter((line) => line.includes(' audit'));
}

describe('examine of an audit', () => {
  it('finds a folder and a sink well that are not used yet, and makes nothing', async () => {
    expect(await said({ headers: [{ name: 'Authorization', value: TOKEN }] })).toEqual([
      `ok audit: ${folder.path} will be created at the first start`,
      expect.stringMatching(/^ok audit: the disk of .* has \d+ MiB left$/),
      `ok audit sink siem: ${new URL(url).origin} accepts what the service sends`,
    ]);
    expect(collector.seen).toMatchObject([{ lines: [], headers: { authorization: TOKEN, 'content-length': '0' } }]);
    expect(readdirSync(dirname(folder.path))).toEqual([]);
  });

  it('says what waits for a sink, and for how long', async () => {
    const target = {
      type: 'http',
      url,
      headers: {},
      tls: { ca: undefined, cert: undefined, key: undefined },
      proxy: undefined,
    } as const;
    const store = await folder.open(
      { sinks: [{ name: 'siem', target, timeoutMs: 1_000, spoolBytes: 1_000_000 }] },
      () => Date.now() - 3_600_000,
    );
    await store.write(change('a'));
    await until(async () => (await said()).includes('ok audit sink siem: has every line'), 'both lines');
    expect(await said({ name: 'new' })).toContainEqual(
      expect.stringMatching(
        /^warning audit sink new: \d+ bytes wait for it, the oldest line for 60 minutes; the log of the service says why$/,
      ),
    );
    await store.close();
  });

  it.each<[string, () => object, RegExp]>([
    [
      'that is not there',
      () => ({ url: 'http://127.0.0.1:1' }),
      /^failed audit sink siem: http:\/\/127\.0\.0\.1:1 cannot be reached: .*ECONNREFUSED.*; check `url`/,
    ],
    [
      'that leads elsewhere',
      () => (collector.misbehaviours.push((res) => void res.writeHead(308, { location: url }).end()), {}),
      /^failed audit sink siem: .*status 308.*redirects are not followed/,
    ],
    [
      'that refuses the token',
      () => (collector.misbehaviours.push((res) => void res.writeHead(401).end()), {}),
      /^failed audit sink siem: .*status 401.*check `headers`/,
    ],
    [
      'that takes no empty body',
      () => (collector.misbehaviours.push((res) => void res.writeHead(400).end()), {}),
      /^warning audit sink siem: .*status 400.*without lines/,
    ],
    [
      'that does not speak TLS',
      () => ({ url: url.replace('http:', 'https:') }),
      /^failed audit sink siem: .* does not speak TLS as expected .*; check whether `url` begins/,
    ],
    [
      'that never answers',
      () => (collector.misbehaviours.push(() => undefined), { timeout_seconds: 1 }),
      /^failed audit sink siem: .*timeout/,
    ],
  ])('names a sink %s, and says what to do', async (_what, make, line) => {
    expect(await said(make())).toContainEqual(expect.stringMatching(line));
  });

  it('reaches a syslog server, and sends it nothing', async () => {
    const server = new SyslogServer();
    const port = await server.listen();
    expect(await said({ url: `syslog+tcp://127.0.0.1:${port}` })).toContain(
      `ok audit sink siem: syslog+tcp://127.0.0.1:${port} accepts what the service sends`,
    );
    await server.close();
    expect(server.messages).toEqual([]);
    // Nobody else listens there, while the port of a server that is closed may soon be another's.
    expect(await said({ url: 'syslog+tcp://127.0.0.1:1' })).toContainEqual(
      expect.stringMatching(/^failed audit sink siem: .*ECONNREFUSED/),
    );
  });

  it('names a folder that others can write to, one that cannot be made, and a secret that has signed none of it', async () => {
    expect(await said({}, { path: join(written.file, 'audit') })).toContainEqual(
      expect.stringMatching(
        /^failed audit: audit\.path: `.*svc\.config\.yaml\/audit` does not exist and cannot be created/,
      ),
    );
    mkdirSync(folder.path, { recursive: true });
    chmodSync(folder.path, 0o777);
    expect(await said()).toContainEqual(expect.stringMatching(/^failed audit: audit\.path: others can write to/));
    chmodSync(folder.path, 0o700);
    const store = await folder.open({ signingSecret: 'another secret, which is long enough too' });
    await store.write(change('a'));
    await store.close();
    expect(await said()).toContainEqual(
      expect.stringMatching(/^failed audit: `one` is not signed by `signing_secret`.*`former_keys`/),
    );
  });
});
