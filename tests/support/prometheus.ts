import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from './free-port.ts';

const START_MS = 20_000;

export type Sample = {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [time: number, value: string];
};

export type Prometheus = {
  /** @throws with what Prometheus says is wrong with the query. */
  query(expression: string): Promise<readonly Sample[]>;
  get(path: string): Promise<unknown>;
  close(): Promise<void>;
};

/** Debian's `prometheus`, which scrapes a service four times a second. @param rules - file of alert rules. */
export async function startPrometheus({
  metricsPort,
  rules,
}: {
  readonly metricsPort: number;
  readonly rules: string;
}): Promise<Prometheus> {
  const directory = await mkdtemp(join(tmpdir(), 'svc-prometheus-'));
  const port = await freePort();
  const config = {
    global: { scrape_interval: '250ms', scrape_timeout: '250ms', evaluation_interval: '250ms' },
    rule_files: [rules],
    scrape_configs: [{ job_name: 'svc', static_configs: [{ targets: [`127.0.0.1:${metricsPort}`] }] }],
  };
  await writeFile(join(directory, 'prometheus.yml'), JSON.stringify(config));
  const child = spawn(
    'prometheus',
    [
      `--config.file=${directory}/prometheus.yml`,
      `--storage.tsdb.path=${directory}/data`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: 'ignore' },
  );
  const close = async (): Promise<void> => {
    if (child.exitCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    await rm(directory, { recursive: true, force: true });
  };
  const get = async (path: string): Promise<unknown> => {
    const answer = (await (await fetch(`http://127.0.0.1:${port}${path}`)).json()) as {
      readonly status: string;
      readonly error?: string;
      readonly data: unknown;
    };
    if (answer.status !== 'success') throw new Error(`${path}: ${answer.error ?? ''}`);
    return answer.data;
  };
  const query = async (expression: string): Promise<readonly Sample[]> =>
    ((await get(`/api/v1/query?query=${encodeURIComponent(expression)}`)) as { readonly result: readonly Sample[] })
      .result;
  for (const until = Date.now() + START_MS; ;) {
    await wait(100);
    const isUp = await query('up{job="svc"} == 1').catch(() => []);
    if (isUp.length > 0) return { query, get, close };
    if (Date.now() < until && child.exitCode === null) continue;
    await close();
    throw new Error('prometheus does not scrape the service');
  }
}
