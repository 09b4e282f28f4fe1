import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';
import { AUDIT_SECRET } from '../../audit/support/audit-folder.ts';
import { Collector } from '../../audit/support/collector.ts';
import { until } from '../../audit/support/until.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { signInPeople, withGoneProvider } from '../../support/audit-cases.ts';
import { startPrometheus, type Prometheus } from '../../support/prometheus.ts';

const DOCS = join(import.meta.dirname, '../../../docs');
const RULES = join(DOCS, 'alerts.yml');

type Panel = {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly datasource?: unknown;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string; readonly datasource: unknown }[];
};
const dashboard = JSON.parse(readFileSync(join(DOCS, 'grafana-dashboard.json'), 'utf8')) as {
  readonly panels: readonly Panel[];
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly type: string; readonly definition?: string }[];
  };
};
const rules = (
  load(readFileSync(RULES, 'utf8')) as {
    readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[];
  }
).groups.flatMap((group) => group.rules);

/** Each query of the dashboard, as Grafana sends it. */
const queries = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }): [string, string] => [
    title,
    expr.replaceAll('$__rate_interval', '10s').replaceAll('$job', 'svc').replaceAll('$instance', '.*'),
  ]),
);

const hasPrometheus = spawnSync('promtool', ['--version']).status === 0;
if (!hasPrometheus) console.warn('alert rules and the dashboard: skipped, because prometheus is not installed');

(hasPrometheus ? describe : describe.skip)('docs/alerts.yml', () => {
  it('holds rules that Prometheus understands', () => {
    expect(execFileSync('promtool', ['check', 'rules', RULES], { encoding: 'utf8' })).toContain(
      `${rules.length} rules found`,
    );
  });

  it('has each alert fire on what it is for, and be silent otherwise', () => {
    const file = join(import.meta.dirname, '../../docs/alerts-test.yml');
    const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' });
    expect([status, stdout + stderr]).toEqual([0, expect.stringContaining('SUCCESS')]);
    const cases = (
      load(readFileSync(file, 'utf8')) as {
        readonly tests: readonly {
          readonly alert_rule_test: readonly { readonly alertname: string; readonly exp_alerts?: readonly unknown[] }[];
        }[];
      }
    ).tests.flatMap((test) => test.alert_rule_test);
    for (const { alert } of rules)
      expect([
        alert,
        new Set(cases.filter(({ alertname }) => alertname === alert).map(({ exp_alerts: fired = [] }) => fired.length)),
      ]).toEqual([alert, new Set([0, 1])]);
  });
});

describe('docs/alerts.yml and docs/operation.md', () => {
  it('name the same alerts', () => {
    const section = /^## Alerts\n(.*?)^## /ms.exec(readFileSync(join(DOCS, 'operation.md'), 'utf8'))?.[1] ?? '';
    expect([...section.matchAll(/^\| `(Svc\w+)`/gm)].map(([, name]) => name)).toEqual(rules.map(({ alert }) => alert));
  });
});

describe('docs/grafana-dashboard.json', () => {
  it('asks the data source that whoever imports it chooses', () => {
    expect(dashboard.templating.list[0]).toMatchObject({ name: 'datasource', type: 'datasource', query: 'prometheus' });
    for (const { type, datasource, targets = [] } of dashboard.panels)
      for (const one of type === 'row' ? [] : [datasource, ...targets.map((target) => target.datasource)])
        expect(one).toEqual({ type: 'prometheus', uid: '${datasource}' });
  });

  it('has panels that stand side by side, each with an id of its own', () => {
    const { panels } = dashboard;
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)} ${y + Math.floor(i / w)}`),
    );
    expect([new Set(cells).size, Math.max(...panels.map(({ gridPos: { x, w } }) => x + w))]).toEqual([
      cells.length,
      24,
    ]);
  });
});

describe('a service that runs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-monitoring-'));
  const collector = new Collector();
  let app: TestApp;
  let prometheus: Prometheus;
  let exposed: string;
  const ask = () => fetch(`http://127.0.0.1:${app.service.metricsPort!}/metrics`).then((answer) => answer.text());

  beforeAll(async () => {
    const url = await collector.listen();
    app = await startApp({
      config: (config) =>
        withGoneProvider({
          ...config,
          server: { ...(config['server'] as object), metrics: { port: 0 } },
          audit: {
            path: join(folder, 'audit'),
            instance: 'one',
            signing_secret: AUDIT_SECRET,
            sinks: [{ name: 'siem', url }],
          },
        }),
    });
    // Of each kind that a panel is about: done, denied, failed.
    const people = await signInPeople(app);
    for (const [account, key] of [
      ['dan', 'open/a'],
      ['dan', 'secret/a'],
    ] as const)
      await people.http(account, 'PUT', `/api/providers/main/buckets/files/object?key=${key}`, { body: 'x' });
    await people.http('ada', 'GET', '/api/providers/main/buckets/files/object?key=open/a');
    await people.http('ada', 'GET', '/api/providers/gone/buckets');
    exposed = await ask();
    if (hasPrometheus) prometheus = await startPrometheus({ metricsPort: app.service.metricsPort!, rules: RULES });
    // A rate needs two scrapes.
    await wait(1_500);
  });
  afterAll(async () => {
    if (hasPrometheus) await prometheus.close();
    await app.close();
    await collector.close();
    rmSync(folder, { recursive: true, force: true });
  });

  (hasPrometheus ? it : it.skip)('exposes nothing that `promtool check metrics` finds fault with', () => {
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
      input: exposed,
      encoding: 'utf8',
    });
    expect([status, stdout + stderr]).toEqual([0, '']);
  });

  it('exposes every metric that the dashboard and the rules name', () => {
    const texts = [
      ...queries.map(([, query]) => query),
      ...rules.map(({ expr }) => expr),
      ...dashboard.templating.list.map(({ definition = '' }) => definition),
    ];
    const names = new Set(texts.flatMap((text) => text.match(/\b(?:svc|process|nodejs)_\w+/g) ?? []));
    expect(names.size).toBeGreaterThan(12);
    for (const name of names) expect(exposed).toMatch(new RegExp(`^(?:# TYPE )?${name}[ {]`, 'm'));
  });

  (hasPrometheus ? it : it.skip).each(queries)('has an answer for the panel %s: %s', async (_title, query) => {
    // On a busy machine a scrape may fail, and until the next one there is nothing.
    let answer = await prometheus.query(query);
    for (let tries = 0; answer.length === 0 && tries < 100; tries += 1) {
      await wait(100);
      answer = await prometheus.query(query);
    }
    expect(answer).not.toEqual([]);
  });

  (hasPrometheus ? it : it.skip)(
    'has rules that Prometheus can evaluate, of which none fires but for the storage that is gone, or the load of this machine',
    async () => {
      const evaluated = async () => {
        const { groups } = (await prometheus.get('/api/v1/rules')) as {
          readonly groups: readonly {
            readonly rules: readonly { readonly name: string; readonly health: string; readonly state: string }[];
          }[];
        };
        return groups.flatMap((group) => group.rules);
      };
      expect((await evaluated()).map(({ name, health }) => [name, health])).toEqual(
        rules.map(({ alert }) => [alert, 'ok']),
      );
      // An alert is pending for a moment when the machine is too busy to answer one scrape in time.
      const mayFire = new Set(['SvcStorageFailing', 'SvcErrorRatio', 'SvcEventLoopBlocked']);
      const others = async () =>
        (await evaluated()).filter(({ name, state }) => state !== 'inactive' && !mayFire.has(name));
      await until(async () => (await others()).length === 0, 'no other alert').catch(async () =>
        expect(await others()).toEqual([]),
      );
    },
  );
});
