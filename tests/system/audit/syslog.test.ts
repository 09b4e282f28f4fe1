import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { AuditStore } from '../../../src/audit/audit-store.ts';
import type { SinkOptions, TargetTls } from '../../../src/audit/sink/sink-options.ts';
import { freePort } from '../../support/free-port.ts';
import { PrivateAuthority } from '../../support/private-authority.ts';
import { missingPrograms } from '../../support/programs.ts';
import { AuditFolder, change } from '../../audit/support/audit-folder.ts';
import { SyslogServer } from '../../audit/support/syslog-server.ts';
import { until } from '../../audit/support/until.ts';

const AUDIT_FACILITY = 13;
let folder: AuditFolder;

beforeEach(() => {
  folder = new AuditFolder();
});
afterEach(() => folder.remove());

function start(port: number, tls?: TargetTls): Promise<AuditStore> {
  const sink: SinkOptions = {
    name: 'logs',
    target: { type: 'syslog', host: '127.0.0.1', port, tls, facility: AUDIT_FACILITY },
    timeoutMs: 2_000,
    spoolBytes: 1_073_741_824,
  };
  return folder.open({ sinks: [sink] });
}

/** Each message once. */
const distinct = (messages: readonly string[]): string[] => [...new Set(messages)];

describe('a sink of the audit that speaks syslog', () => {
  let server: SyslogServer;
  let port: number;

  beforeEach(async () => {
    server = new SyslogServer();
    port = await server.listen();
  });
  afterEach(() => server.close());

  const texts = (): string[] => distinct(server.messages).map((message) => message.slice(message.indexOf('{')));

  it('gets a message of RFC 5424 for each line', async () => {
    const store = await start(port);
    await store.write(
      change('ü', {
        outcome: 'denied',
        resources: [{ provider: 'main', bucket: 'files', key: 'ü', action: 'objects:write', outcome: 'denied' }],
      }),
    );
    await store.close();
    const [segment, line] = folder.lines() as [string, string];
    const { time } = JSON.parse(line) as { time: string };
    expect(server.messages[0]).toMatch(/^<110>1 \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z \S+ svc one segment - \{/);
    expect(server.messages[0]!.endsWith(segment)).toBe(true);
    expect(server.messages[1]).toMatch(new RegExp(`^<109>1 ${time} \\S+ svc one outcome - \\{`));
    expect(server.messages[1]!.endsWith(line)).toBe(true);
  });

  it.each<[string, (socket: Socket) => void]>([
    ['cuts the connection at once', (socket) => void socket.destroy()],
    ['dies before it has read everything', (socket) => void socket.once('data', () => socket.resetAndDestroy())],
    ['ends the connection first', (socket) => void socket.end()],
    ['never closes the connection', (socket) => void socket.resume()],
    ['reads nothing', (socket) => void socket.pause()],
  ])('gets the lines again when it %s', async (_what, misbehave) => {
    // Written before, because the server answers in this thread: one that is busy for longer than the sink waits would end the connection last.
    const before = await folder.open();
    await Promise.all(Array.from({ length: 500 }, async (_, i) => before.write(change(`k${i}`))));
    await before.close();
    server.misbehaviours.push(misbehave);
    const store = await start(port);
    await until(() => texts().length === folder.lines().length, 'all lines');
    expect(server.misbehaviours).toEqual([]);
    await store.close();
    expect(texts()).toEqual(folder.lines());
  });
});

const missing = missingPrograms('rsyslogd', '/usr/lib/x86_64-linux-gnu/rsyslog/lmnsd_ossl.so').filter(
  (file) => !file.endsWith('.so') || !existsSync(file.replace('x86_64', 'aarch64')),
);

(missing.length === 0 ? describe : describe.skip)('rsyslogd as a sink of the audit', () => {
  const directory = mkdtempSync(join(tmpdir(), 'svc-rsyslog-'));
  const output = join(directory, 'messages');
  let authority: PrivateAuthority;
  let child: ChildProcess | undefined;

  beforeAll(() => {
    authority = new PrivateAuthority();
    const { key, cert } = authority.issue();
    writeFileSync(join(directory, 'server.key'), key);
    writeFileSync(join(directory, 'server.pem'), cert);
  });
  afterEach(async () => {
    await end('SIGTERM');
    rmSync(output, { force: true });
  });
  afterAll(() => {
    authority.remove();
    rmSync(directory, { recursive: true, force: true });
  });

  async function begin(port: number, isSecure: boolean): Promise<void> {
    const tls = `global(DefaultNetstreamDriverCAFile="${authority.file}" DefaultNetstreamDriverCertFile="${directory}/server.pem" DefaultNetstreamDriverKeyFile="${directory}/server.key")\n`;
    const file = join(directory, 'rsyslog.conf');
    writeFileSync(
      file,
      `global(workDirectory="${directory}" maxMessageSize="1m")\n${isSecure ? tls : ''}module(load="imtcp"${isSecure ? ' StreamDriver.Name="ossl" StreamDriver.Mode="1" StreamDriver.AuthMode="anon"' : ''})
input(type="imtcp" port="${port}" address="127.0.0.1")
template(name="raw" type="string" string="%hostname% %app-name% %procid% %msgid% %syslogseverity-text% %syslogfacility-text% %msg%\\n")
action(type="omfile" file="${output}" template="raw" asyncWriting="off" ioBufferSize="1" flushOnTXEnd="on")\n`,
    );
    child = spawn(
      missingPrograms('rsyslogd').length === 0 && existsSync('/usr/sbin/rsyslogd') ? '/usr/sbin/rsyslogd' : 'rsyslogd',
      ['-n', '-f', file, '-i', join(directory, 'pid')],
      { stdio: 'ignore' },
    );
    for (let i = 0; i < 100 && !(await canConnect(port)); i += 1) await wait(50);
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (child === undefined) return;
    const ended = once(child, 'exit');
    if (child.exitCode === null && child.signalCode === null) {
      child.kill(signal);
      await ended;
    }
    child = undefined;
    rmSync(join(directory, 'pid'), { force: true });
  }

  const texts = (): string[] =>
    existsSync(output)
      ? distinct(
          readFileSync(output, 'utf8')
            .split('\n')
            .filter((line) => line.includes('{'))
            .map((line) => line.slice(line.indexOf('{'))),
        )
      : [];

  it.each([
    ['TCP', false],
    ['TLS', true],
  ])('has every line, also when it is restarted meanwhile (%s)', async (_what, isSecure) => {
    const port = await freePort();
    await begin(port, isSecure);
    const store = await start(
      port,
      isSecure ? { ca: [authority.certificate], cert: undefined, key: undefined } : undefined,
    );
    await Promise.all(Array.from({ length: 1_000 }, async (_, i) => store.write(change(`a${i}/日本`))));
    await until(() => texts().length === folder.lines().length, 'the first lines');
    expect(readFileSync(output, 'utf8').split('\n')[1]).toMatch(/^\S+ svc one outcome info audit \s*\{"seq":2,/);
    await end('SIGTERM');
    await Promise.all(Array.from({ length: 1_000 }, async (_, i) => store.write(change(`b${i}`))));
    await until(() => store.sinks()[0]!.isFailing, 'a failure');
    await begin(port, isSecure);
    await until(() => texts().length === folder.lines().length, 'all lines');
    await store.close();
    expect(texts()).toEqual(folder.lines());
  });

  it('is not sent anything when another authority vouches for it', async () => {
    const port = await freePort();
    await begin(port, true);
    const store = await start(port, { ca: undefined, cert: undefined, key: undefined });
    await store.write(change('a'));
    await until(() => store.sinks()[0]?.isFailing === true, 'a failure');
    await store.close();
    expect(texts()).toEqual([]);
  });
});

async function canConnect(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
