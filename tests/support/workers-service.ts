import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allOrNone } from './all-or-none.ts';
import { ACCOUNTS, CONFIG, SESSION_SECRET, type ConfigObject } from './app.ts';
import { builtProgram } from './built-program.ts';
import { freePorts } from './free-port.ts';
import { startIdentityProvider } from './identity-provider.ts';
import { startS3rver, type S3Emulator } from './s3-server.ts';

export type Answer = { readonly status: number; readonly text: string };

/** One service with several workers, as a process of its own. */
export type WorkersService = {
  readonly origin: string;
  readonly metrics: string;
  readonly s3: S3Emulator;
  readonly pid: number;
  /** The folder of the configuration, the state database and the audit. */
  readonly directory: string;
  /** Process ids of the workers that run. */
  workers(): readonly number[];
  /** Everything that was printed and logged. */
  said(): string;
  /** Resolves when that contains the text, at the latest after 20 seconds. */
  says(text: string): Promise<void>;
  /** Writes the configuration with a change, for SIGHUP. */
  configure(change: (config: ConfigObject) => ConfigObject): Promise<void>;
  /** Sends a request on a connection of its own. */
  ask(path: string, options?: AskOptions): Promise<Answer>;
  readonly exit: Promise<number | null>;
  close(): Promise<void>;
};

export type AskOptions = {
  readonly method?: string;
  readonly credential?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | object;
};

export async function startWorkersService(workers: number): Promise<WorkersService> {
  return allOrNone(async (parts) => {
    const directory = await mkdtemp(join(tmpdir(), 'svc-workers-'));
    parts.defer(() => rm(directory, { recursive: true, force: true }));
    const [port = 0, metricsPort = 0] = await freePorts(2);
    const origin = `http://127.0.0.1:${port}`;
    const client = { client_id: 'svc', client_secret: 'idp-client-secret' };
    const idp = await startIdentityProvider({
      accounts: ACCOUNTS,
      clients: [
        {
          ...client,
          redirect_uris: [`${origin}/api/auth/callback`, `${origin}/v1/auth/callback`],
          grant_types: ['authorization_code'],
          response_types: ['code'],
        },
      ],
    });
    parts.defer(() => idp.close());
    const s3 = await startS3rver({ buckets: ['files'] });
    parts.defer(() => s3.close());
    const config: ConfigObject = {
      ...CONFIG,
      server: {
        port,
        workers,
        reload: 'on_signal',
        metrics: { port: metricsPort },
        rate_limit: { sign_in_per_minute: 10_000 },
      },
      auth: {
        enabled: true,
        public_origin: origin,
        oidc: { issuer: idp.issuer, ...client },
        api_keys: { capacity: 1_000, per_subject: 1_000 },
        session: { type: 'database' },
      },
      state: { path: 'state.db' },
      audit: { path: 'audit', signing_secret: SESSION_SECRET },
      providers: [
        {
          name: 'main',
          type: 's3',
          endpoint: s3.url,
          path_style: true,
          credentials: { access_key_id: s3.accessKeyId, secret_access_key: s3.secretAccessKey },
        },
      ],
    };
    const file = join(directory, 'svc.config.yaml');
    const configure = (change: (config: ConfigObject) => ConfigObject) =>
      writeFile(file, JSON.stringify(change(config)));
    await configure((same) => same);
    const child = spawn(process.execPath, [await builtProgram(), 'serve', '--config', file], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, SVC_SESSION_SECRET: SESSION_SECRET },
    });
    const exit = once(child, 'exit').then(([status]) => status as number | null);
    parts.defer(async () => {
      child.kill('SIGKILL');
      await exit;
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (said += text));
    const says = async (text: string): Promise<void> => {
      for (const end = performance.now() + 20_000; !said.includes(text);) {
        if (performance.now() > end || child.exitCode !== null) throw new Error(`no \`${text}\` in:\n${said}`);
        await new Promise((resolve) => void setTimeout(resolve, 5));
      }
    };
    await says('svc listens on');
    const pid = child.pid!;
    return {
      origin,
      metrics: `http://127.0.0.1:${metricsPort}/metrics`,
      s3,
      pid,
      directory,
      workers: () => childrenOf(pid),
      said: () => said,
      says,
      configure,
      ask: (path, options) => ask(`${origin}${path}`, options),
      exit,
    };
  });
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(/\s+/).filter(Boolean).map(Number);
}

function ask(url: string, { method = 'GET', credential, headers, body }: AskOptions = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request(
      url,
      {
        method,
        agent: false,
        headers: {
          ...(credential !== undefined && { authorization: `Bearer ${credential}` }),
          ...(typeof body === 'object' && { 'content-type': 'application/json' }),
          ...headers,
        },
      },
      (res) => {
        let text = '';
        res
          .setEncoding('utf8')
          .on('data', (part: string) => (text += part))
          .on('end', () => resolve({ status: res.statusCode ?? 0, text }))
          .on('error', reject);
      },
    );
    asked.on('error', reject).end(typeof body === 'object' ? JSON.stringify(body) : body);
  });
}
