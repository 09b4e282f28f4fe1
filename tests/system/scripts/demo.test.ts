import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ACCOUNTS } from '../../../scripts/demo/accounts.ts';
import { signInAt, Visitor } from '../../support/visitor.ts';

const SCRIPT = new URL('../../../scripts/demo.ts', import.meta.url).pathname;
const ANY_PORTS = ['--port', '0', '--idp-port', '0', '--s3-port', '0', '--archive-port', '0'];
const READY = 'Ctrl-C ends all of it, and removes what was uploaded.';

type Running = {
  readonly process: ChildProcess;
  readonly output: string;
  readonly url: string;
  readonly issuer: string;
};

async function startScript(
  [program = '', ...args]: readonly string[] = [process.execPath, SCRIPT, ...ANY_PORTS],
  environment: Record<string, string> = {},
): Promise<Running> {
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, npm_lifecycle_event: 'test', NO_COLOR: '1', FORCE_COLOR: undefined, ...environment },
  });
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  for await (const chunk of child.stdout) {
    output += String(chunk);
    if (output.includes(READY)) break;
  }
  if (!output.includes(READY)) throw new Error(`the demo did not start:\n${output}`);
  const found = (pattern: RegExp) => pattern.exec(output)?.[1] ?? '';
  return { process: child, output, url: found(/open\s+(http:\S+)/), issuer: found(/identity provider\s+(http:\S+)/) };
}

async function stopScript(demo: Running, signal: NodeJS.Signals): Promise<number | null> {
  demo.process.kill(signal);
  if (demo.process.exitCode === null && demo.process.signalCode === null) await once(demo.process, 'exit');
  return demo.process.exitCode;
}

async function endsAllOnSignal(demo: Running, signal: NodeJS.Signals): Promise<void> {
  expect(await stopScript(demo, signal)).toBe(0);
  for (const url of [demo.url, demo.issuer]) await expect(fetch(url)).rejects.toThrow();
}

async function answers(url: string): Promise<boolean> {
  return fetch(url, { redirect: 'manual' }).then(
    () => true,
    () => false,
  );
}

describe('npm run demo', () => {
  let demo: Running;
  const visitors = new Map<string, Visitor>();

  beforeAll(async () => {
    demo = await startScript();
    for (const { subject } of ACCOUNTS) visitors.set(subject, await signedIn(demo.url, subject));
  });

  afterAll(async () => {
    await stopScript(demo, 'SIGTERM');
  });

  it('prints one URL to open, every account, and the redirect URI', () => {
    expect(demo.output.match(/open {2}http/g)).toHaveLength(1);
    for (const { name, may } of ACCOUNTS)
      expect(demo.output).toMatch(new RegExp(`^ +${name} .*${may.slice(0, 20)}`, 'm'));
    expect(demo.output).toContain(`${demo.url}/v1/auth/callback`);
  });

  it('prints where S3 tools reach it', async () => {
    const [, endpoint = ''] = /S3 tools +(http:\S+)/.exec(demo.output) ?? [];
    expect(await (await fetch(endpoint)).text()).toContain('<Code>AccessDenied</Code>');
  });

  it.each(ACCOUNTS)('signs $name in with the groups $groups', async ({ subject, groups }) => {
    expect(await json(subject, '/api/auth/me')).toEqual({ authenticated: true, auth_enabled: true, subject, groups });
  });

  it('shows each account the providers that its policies show', async () => {
    const seen = Object.fromEntries(
      await Promise.all(
        ACCOUNTS.map(async ({ subject }) => [subject, await names(subject, '/api/providers', 'providers')] as const),
      ),
    );
    const both = ['main', 'archive'];
    expect(seen).toEqual({
      ada: both,
      erik: both,
      vera: both,
      petra: ['main'],
      dana: ['main'],
      ines: ['main'],
      noah: [],
    });
  });

  it('shows each account the buckets that its policies show', async () => {
    const seen = Object.fromEntries(
      await Promise.all(
        ACCOUNTS.map(
          async ({ subject }) => [subject, await names(subject, '/api/providers/main/buckets', 'buckets')] as const,
        ),
      ),
    );
    const all = ['empty-bucket', 'photos', 'sensors', 'team-files'];
    expect(seen).toEqual({
      ada: all,
      erik: all,
      vera: all,
      petra: ['photos'],
      dana: ['team-files'],
      ines: all,
      noah: [],
    });
  });

  it('lets the editor write and the viewer not', async () => {
    expect(await put('erik', 'main', 'team-files', 'notes/new.txt')).toBeLessThan(300);
    expect(await put('vera', 'main', 'team-files', 'notes/new.txt')).toBe(403);
  });

  it('says of every place whether a new object may be put there', async () => {
    for (const { subject } of ACCOUNTS) {
      for (const prefix of ['', 'inbox/', 'hr/', 'projects/apollo/']) {
        const { here } = (await json(
          subject,
          `/api/providers/main/buckets/team-files/permissions?prefix=${encodeURIComponent(prefix)}`,
        )) as { here: string[] };
        const status = await put(subject, 'main', 'team-files', `${prefix}here-${subject}.txt`);
        expect({ subject, prefix, here: here.includes('objects:write') }).toEqual({
          subject,
          prefix,
          here: status === 200,
        });
        expect([200, 403]).toContain(status);
      }
    }
  });

  it('lets only the admin create buckets and see the admin pages', async () => {
    for (const { subject } of ACCOUNTS) {
      const isAdmin = subject === 'ada';
      const created = await ask(subject, '/api/providers/main/buckets', {
        method: 'POST',
        body: JSON.stringify({ name: `made-by-${subject}` }),
        headers: { 'content-type': 'application/json' },
      });
      expect({ subject, status: created.status }).toEqual({ subject, status: isAdmin ? 201 : 403 });
      expect({ subject, status: (await ask(subject, '/api/admin/roles')).status }).toEqual({
        subject,
        status: isAdmin ? 200 : 403,
      });
    }
  });

  it('shows the admin who did what', async () => {
    expect(await put('vera', 'main', 'team-files', 'notes/told.txt')).toBe(403);
    expect(await json('ada', '/api/admin/audit?resource=main/team-files/notes/told.txt')).toMatchObject({
      lines: [{ operation: 'object/write', outcome: 'denied', subject: 'vera' }],
    });
  });

  it('shows the prefix account its folder and the way to it, and no other', async () => {
    expect(await folders('petra', 'photos', '')).toEqual(['2025/']);
    expect(await folders('petra', 'photos', '2025/')).toEqual(['2025/summer/']);
    expect(await folders('vera', 'photos', '2025/')).toEqual(['2025/summer/', '2025/winter/']);
    expect(await get('petra', 'photos', '2025/summer/beach at noon.png')).toBe(200);
    expect(await get('petra', 'photos', '2025/winter/forest.png')).toBe(403);
    expect(await get('petra', 'photos', '2025-private/not for everyone.png')).toBe(403);
  });

  it('holds the denies inside of an allow', async () => {
    expect(await folders('dana', 'team-files', '')).not.toContain('hr/');
    expect(await get('dana', 'team-files', 'hr/salaries.csv')).toBe(403);
    expect(await get('dana', 'team-files', 'projects/apollo/plan.md')).toBe(200);
    expect(await keys('dana', 'team-files', 'projects/apollo/')).toContain('projects/apollo/secret plan.md');
    expect(await get('dana', 'team-files', 'projects/apollo/secret plan.md')).toBe(403);
    expect(await put('dana', 'main', 'team-files', 'notes/by dana.txt')).toBeLessThan(300);
  });

  it('keeps to the imported IAM document', async () => {
    expect(await keys('ines', 'team-files', 'notes/')).toContain('notes/todo.txt');
    expect(await get('ines', 'team-files', 'notes/todo.txt')).toBe(403);
    expect(await get('ines', 'team-files', 'inbox/from a partner.txt')).toBe(200);
    expect(await put('ines', 'main', 'team-files', 'inbox/reply.txt')).toBeLessThan(300);
  });

  it('serves the second provider', async () => {
    expect(await names('vera', '/api/providers/archive/buckets', 'buckets')).toEqual(['backups', 'swatches']);
  });

  it('says which port is in use, and the command with ports that are free', () => {
    const { port } = new URL(demo.url);
    const { status, stderr, stdout } = spawnSync(process.execPath, [SCRIPT, ...ANY_PORTS, '--port', port], {
      encoding: 'utf8',
    });
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(
      new RegExp(
        `^port ${port}, for the service, is in use\\n.*npm run demo -- --port \\d+ --idp-port \\d+ --s3-port \\d+ --archive-port \\d+\\n$`,
      ),
    );
  });

  it('keeps running meanwhile, logs into its folder and not to the terminal', () => {
    expect(demo.process.exitCode).toBeNull();
    expect(demo.output.trimEnd().endsWith(READY)).toBe(true);
  });

  it('ends all of it on SIGTERM, with status 0', () => endsAllOnSignal(demo, 'SIGTERM'));

  async function ask(subject: string, path: string, init?: RequestInit): Promise<Response> {
    return visitors.get(subject)!.request(`${demo.url}${path}`, {
      ...init,
      headers: { accept: 'application/json', ...(init?.headers as Record<string, string>) },
    });
  }

  async function json(subject: string, path: string): Promise<Record<string, unknown>> {
    const response = await ask(subject, path);
    expect({ path, status: response.status }).toEqual({ path, status: 200 });
    return (await response.json()) as Record<string, unknown>;
  }

  async function names(subject: string, path: string, member: string): Promise<readonly string[]> {
    return ((await json(subject, path))[member] as { name: string }[]).map(({ name }) => name);
  }

  async function listing(
    subject: string,
    bucket: string,
    prefix: string,
  ): Promise<{ objects: { key: string }[]; prefixes: string[] }> {
    return (await json(
      subject,
      `/api/providers/main/buckets/${bucket}/objects?delimiter=/&prefix=${encodeURIComponent(prefix)}`,
    )) as never;
  }

  async function folders(subject: string, bucket: string, prefix: string): Promise<readonly string[]> {
    return (await listing(subject, bucket, prefix)).prefixes;
  }

  async function keys(subject: string, bucket: string, prefix: string): Promise<readonly string[]> {
    return (await listing(subject, bucket, prefix)).objects.map(({ key }) => key);
  }

  async function get(subject: string, bucket: string, key: string): Promise<number> {
    const response = await ask(subject, `/api/providers/main/buckets/${bucket}/object?key=${encodeURIComponent(key)}`);
    await response.arrayBuffer();
    return response.status;
  }

  async function put(subject: string, provider: string, bucket: string, key: string): Promise<number> {
    return (
      await ask(subject, `/api/providers/${provider}/buckets/${bucket}/object?key=${encodeURIComponent(key)}`, {
        method: 'PUT',
        body: 'hello',
      })
    ).status;
  }
});

describe('stopping the demo', () => {
  it('ends its service, too, when it is killed', async () => {
    const killed = await startScript([
      'sh',
      '-c',
      `unset npm_lifecycle_event; exec "${process.execPath}" "${SCRIPT}" ${ANY_PORTS.join(' ')}`,
    ]);
    await stopScript(killed, 'SIGKILL');
    const deadline = Date.now() + 15_000;
    while (Date.now() < deadline && (await answers(killed.url))) await sleep(100);
    expect(await answers(killed.url)).toBe(false);
  });

  it('ends all of it on SIGINT, with status 0, as often as one likes', async () => {
    await endsAllOnSignal(await startScript(), 'SIGINT');
  });

  it('ends all of it when npm is told to end', async () => {
    const npm = await startScript(['sh', '-c', `"${process.execPath}" "${SCRIPT}" ${ANY_PORTS.join(' ')}; true`], {
      npm_lifecycle_event: 'demo',
    });
    await stopScript(npm, 'SIGTERM');
    const deadline = Date.now() + 15_000;
    while (Date.now() < deadline && (await answers(npm.url))) await sleep(100);
    expect(await answers(npm.url)).toBe(false);
  });
});

async function signedIn(url: string, account: string): Promise<Visitor> {
  const visitor = new Visitor();
  const login = await visitor.request(`${url}/api/auth/login`);
  const callback = await signInAt(login.headers.get('location') ?? '', { account, visitor });
  const done = await visitor.request(callback);
  if (done.status >= 400) throw new Error(`the callback answered ${done.status}: ${await done.text()}`);
  return visitor;
}
