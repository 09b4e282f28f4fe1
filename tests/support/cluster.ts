import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { allOrNone } from './all-or-none.ts';
import { ACCOUNTS, CONFIG, SESSION_SECRET } from './app.ts';
import { builtProgram } from './built-program.ts';
import { freePort } from './free-port.ts';
import { startIdentityProvider, type IdentityProvider } from './identity-provider.ts';
import { RedisServer } from './redis-server.ts';
import { startS3rver, type S3Emulator } from './s3-server.ts';

const START_MS = 120_000;
/** More than a test needs for itself. */
export const SIGN_INS_PER_MINUTE = 300;

export type ClusterOptions = {
  readonly size?: number;
  /** What the instances share, in place of a Redis of their own. */
  readonly shared?: { readonly state: object; readonly session: object };
};

/** Several instances of the service, each a process of its own, behind nginx that takes them in turn. */
export type Cluster = {
  /** Of nginx: what people open. */
  readonly origin: string;
  readonly issuer: string;
  readonly idp: IdentityProvider;
  readonly s3: S3Emulator;
  /** Of each instance, for asking one of them alone. */
  readonly instances: readonly string[];
  /** Process ids of the instances that run. */
  pids(): readonly number[];
  /** `kill -9`. */
  kill(instance: number): Promise<void>;
  /** Starts it again after `kill`, and waits until it answers. */
  restart(instance: number): Promise<void>;
  close(): Promise<void>;
};

export async function startCluster({ size = 2, shared }: ClusterOptions = {}): Promise<Cluster> {
  return allOrNone(async (parts) => {
    const directory = await mkdtemp(join(tmpdir(), 'svc-cluster-'));
    parts.defer(() => rm(directory, { recursive: true, force: true }));
    const { state, session } = shared ?? (await withRedis(parts));
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    const idp = await startIdentityProvider({
      accounts: ACCOUNTS,
      clients: [
        {
          client_id: 'svc',
          client_secret: 'idp-client-secret',
          redirect_uris: [`${origin}/api/auth/callback`, `${origin}/v1/auth/callback`],
          grant_types: ['authorization_code'],
          response_types: ['code'],
          backchannel_logout_uri: `${origin}/v1/auth/backchannel-logout`,
          backchannel_logout_session_required: true,
        },
      ],
    });
    parts.defer(() => idp.close());
    const s3 = await startS3rver({ buckets: ['files', 'photos'] });
    parts.defer(() => s3.close());
    const config = {
      ...CONFIG,
      server: { rate_limit: { sign_in_per_minute: SIGN_INS_PER_MINUTE }, trusted_proxies: ['127.0.0.1'] },
      auth: {
        enabled: true,
        public_origin: origin,
        oidc: { issuer: idp.issuer, client_id: 'svc', client_secret: 'idp-client-secret' },
        api_keys: { capacity: 100_000, per_subject: 100_000 },
        session,
      },
      state,
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
    await writeFile(file, JSON.stringify(config));
    const program = await builtProgram();
    const ports = await Promise.all(Array.from({ length: size }, freePort));
    const start = (instancePort: number) =>
      spawn(process.execPath, [program, 'serve', '--config', file, '--port', String(instancePort)], {
        stdio: 'ignore',
        env: { ...process.env, SVC_SESSION_SECRET: SESSION_SECRET },
      });
    const processes = ports.map(start);
    parts.defer(async () => {
      await Promise.all(processes.map(kill));
    });
    const nginx = await startNginx(directory, port, ports);
    parts.defer(() => kill(nginx));
    const instances = ports.map((instancePort) => `http://127.0.0.1:${instancePort}`);
    await Promise.all([...instances, origin].map(answers));
    return {
      origin,
      issuer: idp.issuer,
      idp,
      s3,
      instances,
      pids: () => processes.flatMap(({ pid }) => pid ?? []),
      kill: (instance: number) => kill(processes[instance]),
      restart: async (instance: number) => {
        processes[instance] = start(ports[instance]!);
        await answers(instances[instance]!);
      },
    };
  });
}

async function withRedis(parts: AsyncDisposableStack): Promise<NonNullable<ClusterOptions['shared']>> {
  const redis = await RedisServer.start();
  parts.defer(() => redis.stop());
  return { state: { path: 'state.db' }, session: { type: 'redis', url: redis.url } };
}

async function kill(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** `strips` takes the path off before the service sees it. What lies outside of the path belongs to somebody else. */
export type ProxiedPath = { readonly path: string; readonly strips: boolean };

/** Debian's nginx in the foreground, with everything that it writes in the folder. */
export async function startNginx(
  directory: string,
  port: number,
  upstreams: readonly number[],
  { path, strips }: ProxiedPath = { path: '/', strips: false },
): Promise<ChildProcess> {
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${directory}/${name};`)
    .join(' ');
  const conf = `
    daemon off; master_process off; pid ${directory}/nginx.pid; error_log ${directory}/nginx.log;
    events { worker_connections 512; }
    http {
      access_log off; client_max_body_size 0; ${temp}
      map $http_upgrade $connection_upgrade { default upgrade; '' ''; }
      upstream svc { ${upstreams.map((upstream) => `server 127.0.0.1:${upstream} max_fails=1 fail_timeout=2s;`).join(' ')} }
      server {
        listen 127.0.0.1:${port};
        ${path === '/' ? '' : "location / { return 200 'something else'; }"}
        location ${path} {
          proxy_pass http://svc${strips ? '/' : ''}; proxy_http_version 1.1; proxy_request_buffering off; proxy_buffering off;
          proxy_set_header Host $host; proxy_set_header X-Forwarded-For $remote_addr; proxy_set_header X-Forwarded-Proto $scheme;
          proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection $connection_upgrade;
          proxy_next_upstream error timeout non_idempotent;
        }
      }
    }`;
  await writeFile(join(directory, 'nginx.conf'), conf);
  return spawn('nginx', ['-p', directory, '-c', join(directory, 'nginx.conf'), '-e', join(directory, 'nginx.log')], {
    stdio: 'ignore',
    env: { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` },
  });
}

export async function answers(origin: string): Promise<void> {
  for (const end = performance.now() + START_MS; performance.now() < end;) {
    const answer = await fetch(`${origin}/api/health`).catch(() => undefined);
    if (answer?.ok === true) return;
    await wait(100);
  }
  throw new Error(`${origin} did not answer within ${START_MS} ms`);
}
