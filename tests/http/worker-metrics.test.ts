import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from '@jest/globals';
import { Metrics } from '../../src/http/rows/metrics.ts';
import { WorkerMetrics, type MetricValues } from '../../src/http/rows/worker-metrics.ts';

it('GET /metrics of several workers adds them up, also what ended workers had counted', async () => {
  const workers = new Map([1, 2].map((id) => [id, new Metrics('1.2.3')]));
  const silent = new Promise<MetricValues>(() => undefined);
  const page = new WorkerMetrics(() => [...workers].map(([id, metrics]) => [id, id === 3 ? silent : metrics.values()]));
  const server = createServer(page.listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const read = async () => (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`)).text();
  for (const [id, metrics] of workers) {
    for (let i = 0; i < id; i += 1) metrics.decided('objects:read', true);
    metrics.reloaded(id === 1);
  }
  const first = await read();
  expect(first).toContain('svc_policy_decisions_total{action="objects:read",outcome="allow"} 3\n');
  expect(first).toContain('svc_build_info{version="1.2.3"} 1\n');
  expect(first).toMatch(/^process_start_time_seconds \d{10}/m);
  expect(first).toContain('svc_config_last_reload_successful 0\n');
  // The successor of a worker that ended counts from 0, and does not answer yet.
  workers.delete(2);
  page.ended(2);
  workers.set(3, new Metrics('1.2.3'));
  const then = await read();
  expect(then).toContain('svc_policy_decisions_total{action="objects:read",outcome="allow"} 3\n');
  expect(then).toContain('svc_config_last_reload_successful 1\n');
  server.close();
});
