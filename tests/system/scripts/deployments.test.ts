import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { load, loadAll } from 'js-yaml';
import { Machine } from '../../cli/svc-process.ts';
import { missingPrograms } from '../../support/programs.ts';

const CHECKOUT = join(import.meta.dirname, '../../..');
const CHART = join(CHECKOUT, 'packaging/helm/svc');
const SECRET = 'a session secret of the tests, long enough';
const run = promisify(execFile);

let machine: Machine;
beforeAll(async () => {
  machine = await Machine.make();
});
afterAll(() => machine.remove());

/** `svc config check` in production, with the secrets of a folder in the place of `/run/secrets`. */
async function check(config: string, secrets: string) {
  const file = join(machine.home, 'checked.yaml');
  await writeFile(file, config.replaceAll('/run/secrets', secrets));
  return machine.start(['config', 'check', file], { NODE_ENV: 'production', SVC_SESSION_SECRET: SECRET }).ended;
}

describe('packaging/svc.config.yaml', () => {
  it('keeps sessions over a restart, and `config check` has nothing to say of it', async () => {
    const text = await readFile(join(CHECKOUT, 'packaging/svc.config.yaml'), 'utf8');
    expect(load(text)).toMatchObject({
      state: { path: '/var/lib/svc/state.db' },
      auth: { session: { type: 'database' } },
    });
    const names = ['SVC_OIDC_CLIENT_SECRET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'];
    expect([...text.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name)).toEqual(names);
    const file = join(machine.home, 'package.yaml');
    await writeFile(file, text);
    const env = {
      NODE_ENV: 'production',
      SVC_SESSION_SECRET: SECRET,
      ...Object.fromEntries(names.map((name) => [name, 'x'.repeat(32)])),
    };
    expect(await machine.start(['config', 'check', file], env).ended).toMatchObject({ status: 0, stderr: '' });
    await writeFile(
      file,
      text.replace('type: database', 'type: memory').replace('# trusted_proxies', 'trusted_proxies'),
    );
    expect((await machine.start(['config', 'check', file], env).ended).stderr).toMatch(
      /^warning: .*auth\.session\.type: `memory` signs everybody out at each restart/m,
    );
  });
});

describe('the client secret of the identity provider', () => {
  it('has one name in every configuration and document that takes it from the environment', async () => {
    const { stdout } = await run(
      'git',
      [
        'grep',
        '-hoE',
        'client_secret: *[`\'"]?\\$\\{[A-Z_]+',
        '--',
        'README.md',
        'docs',
        'packaging',
        'svc.config.yaml',
        'scripts',
        'examples',
      ],
      { cwd: CHECKOUT },
    );
    const names = stdout
      .trim()
      .split('\n')
      .map((line) => line.replace(/.*\$\{/, ''));
    expect(names.length).toBeGreaterThan(3);
    expect(new Set(names)).toEqual(new Set(['SVC_OIDC_CLIENT_SECRET']));
  });
});

describe('packaging/compose', () => {
  const at = (name: string) => join(machine.home, 'compose', name);
  beforeAll(async () => {
    await cp(join(CHECKOUT, 'packaging/compose'), join(machine.home, 'compose'), {
      recursive: true,
      filter: (path) => !path.endsWith('/secrets'),
    });
    await run(at('make-secrets.sh'));
  });

  it('keeps its secrets in a folder that nobody else enters, makes them once, and no two are the same', async () => {
    expect((await stat(at('secrets'))).mode & 0o777).toBe(0o700);
    await expect(run(at('make-secrets.sh'))).rejects.toThrow('secrets is there already');
    const secrets = await Promise.all(
      ['session', 'oidc', 's3-secret', 'garage-rpc'].map((name) => readFile(at(`secrets/${name}`), 'utf8')),
    );
    expect(new Set(secrets).size).toBe(4);
    expect(secrets.every((secret) => /^[0-9a-f]{48,}$/.test(secret))).toBe(true);
    expect(await readFile(at('secrets/s3-key-id'), 'utf8')).toMatch(/^GK[0-9a-f]{24}$/);
  });

  it('has a configuration without a fault, whose client, redirect URI and address for logouts Keycloak gets', async () => {
    const checked = await check(await readFile(at('svc.config.yaml'), 'utf8'), at('secrets'));
    expect(checked).toMatchObject({ status: 0, stderr: '' });
    const realm = JSON.parse(await readFile(at('secrets/realm.json'), 'utf8')) as {
      clients: { secret: string; redirectUris: string[]; attributes: Record<string, string> }[];
    };
    expect(realm.clients).toMatchObject([{ clientId: 'svc', secret: await readFile(at('secrets/oidc'), 'utf8') }]);
    expect(checked.stdout).toContain(realm.clients[0]!.redirectUris[0]);
    const { auth } = load(await readFile(at('svc.config.yaml'), 'utf8')) as { auth: { public_origin: string } };
    // Keycloak shares the network of svc, so it reaches svc where the browser does.
    expect(realm.clients[0]!.attributes).toMatchObject({
      'backchannel.logout.url': `${auth.public_origin}/v1/auth/backchannel-logout`,
      'backchannel.logout.session.required': 'true',
    });
  });

  it('runs svc with a root that it cannot write, on the port and with the secrets that the configuration names', async () => {
    const { services } = load(await readFile(at('compose.yaml'), 'utf8')) as {
      services: Record<string, Record<string, unknown>>;
    };
    expect(services['svc']).toMatchObject({ read_only: true, cap_drop: ['ALL'], network_mode: 'service:keycloak' });
    const config = await readFile(at('svc.config.yaml'), 'utf8');
    const named = [...config.matchAll(/\/run\/secrets\/([\w-]+)/g)].map(([, name]) => name);
    expect([...named, 'session'].sort()).toEqual([...(services['svc']!['secrets'] as string[])].sort());
    expect(services['keycloak']!['ports']).toContain(
      `127.0.0.1:8080:${(load(config) as { server: { port: number } }).server.port}`,
    );
  });

  const without = missingPrograms('docker-compose');
  (without.length > 0 ? it.skip : it)(
    `is what docker-compose understands${without.length > 0 ? ': it is missing' : ''}`,
    async () => {
      expect(load((await run('docker-compose', ['--file', at('compose.yaml'), 'config'])).stdout)).toHaveProperty(
        'services.svc.read_only',
        true,
      );
    },
  );
});

type Resource = {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: Record<string, unknown>;
  readonly data?: Record<string, string>;
};

describe('packaging/helm/svc', () => {
  it('has values that its schema accepts, and refuses what it does not know', async () => {
    const validate = new Ajv({ strict: false }).compile(
      JSON.parse(await readFile(join(CHART, 'values.schema.json'), 'utf8')) as object,
    );
    const values = load(await readFile(join(CHART, 'values.yaml'), 'utf8')) as Record<string, unknown>;
    expect([validate(values), validate.errors]).toEqual([true, null]);
    for (const wrong of [
      { replicas: 'two' },
      { replica: 2 },
      { config: {} },
      { image: { tag: '1' } },
      { secretName: '' },
    ])
      expect([wrong, validate({ ...values, ...wrong })]).toEqual([wrong, false]);
  });

  it('trusts no proxy that nobody named, because any pod may connect', async () => {
    expect(load(await readFile(join(CHART, 'values.yaml'), 'utf8'))).toMatchObject({
      config: { server: { trusted_proxies: [] } },
      networkPolicy: { from: [], metricsFrom: [] },
    });
  });

  it('has the version of the program', async () => {
    const { version } = JSON.parse(await readFile(join(CHECKOUT, 'package.json'), 'utf8')) as { version: string };
    expect(load(await readFile(join(CHART, 'Chart.yaml'), 'utf8'))).toMatchObject({ version, appVersion: version });
  });

  // Helm is not in Debian. These are the libraries that it renders templates with.
  const without = missingPrograms(
    'go',
    '/usr/share/gocode/src/github.com/Masterminds/sprig',
    '/usr/share/gocode/src/sigs.k8s.io/yaml',
  );
  (without.length > 0 ? describe.skip : describe)(
    `rendered${without.length > 0 ? `: ${without.join()} is missing` : ''}`,
    () => {
      const resources = new Map<string, Resource>();

      async function render(values: string): Promise<Resource[]> {
        const args = ['run', join(CHECKOUT, 'tests/support/render-chart.go'), CHART, values, 'files'];
        const env = {
          ...process.env,
          GO111MODULE: 'off',
          GOPATH: '/usr/share/gocode',
          GOFLAGS: '',
          GOCACHE: join(CHECKOUT, '.cache/go'),
        };
        return loadAll((await run('go', args, { env })).stdout).filter(
          (each) => each !== undefined && each !== null,
        ) as Resource[];
      }

      beforeAll(async () => {
        for (const resource of await render(join(CHART, 'values.yaml'))) resources.set(resource.kind, resource);
      });

      it('holds a configuration without a fault', async () => {
        const secrets = join(machine.home, 'chart');
        await mkdir(join(secrets, 'svc'), { recursive: true });
        for (const name of ['oidc', 'postgres', 's3-key-id', 's3-secret'])
          await writeFile(join(secrets, 'svc', name), SECRET);
        expect(await check(resources.get('ConfigMap')!.data!['svc.config.yaml']!, secrets)).toMatchObject({
          status: 0,
          stderr: '',
        });
      });

      it('runs the pods as nobody special on a root that they cannot write, and asks them on routes that are there', () => {
        const pod = (
          resources.get('Deployment')!.spec['template'] as {
            spec: {
              securityContext: object;
              containers: Record<string, Record<string, unknown>>[];
              volumes: Record<string, unknown>[];
            };
          }
        ).spec;
        expect(pod).toMatchObject({
          automountServiceAccountToken: false,
          securityContext: { runAsNonRoot: true, runAsUser: 10_001, seccompProfile: { type: 'RuntimeDefault' } },
        });
        const [container = {}] = pod.containers;
        expect(container['securityContext']).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(
          ['startupProbe', 'livenessProbe', 'readinessProbe'].map((probe) => container[probe]?.['httpGet']),
        ).toEqual(['/api/health', '/api/health', '/api/ready'].map((path) => ({ path, port: 'http' })));
        expect(pod.volumes.map(({ secret }) => secret).filter((secret) => secret !== undefined)).toEqual([
          { secretName: 'svc', defaultMode: 0o440 },
        ]);
      });

      it('keeps the audit on a volume that outlives the pod, where one is named', async () => {
        const values = join(machine.home, 'audit-values.yaml');
        const text = await readFile(join(CHART, 'values.yaml'), 'utf8');
        await writeFile(values, text.replace("claimName: ''", 'claimName: svc-audit'));
        const podOf = (deployment: Resource | undefined) =>
          (
            deployment!.spec['template'] as {
              spec: {
                containers: { volumeMounts: { name: string; mountPath: string }[] }[];
                volumes: { name: string }[];
              };
            }
          ).spec;
        const named = podOf((await render(values)).find(({ kind }) => kind === 'Deployment'));
        expect(named.containers[0]!.volumeMounts).toContainEqual({ name: 'state', mountPath: '/var/lib/svc' });
        expect(named.volumes).toContainEqual({ name: 'state', persistentVolumeClaim: { claimName: 'svc-audit' } });
        expect(podOf(resources.get('Deployment')).volumes.map(({ name }) => name)).not.toContain('state');
      });

      it('selects these pods in the service, the disruption budget and the network policy', () => {
        const { metadata } = resources.get('Deployment')!.spec['template'] as {
          metadata: { labels: Record<string, string> };
        };
        const selectors = [
          resources.get('Service')!.spec['selector'],
          ...['PodDisruptionBudget', 'NetworkPolicy', 'Deployment']
            .map(
              (kind) =>
                (resources.get(kind)!.spec['selector'] ?? resources.get(kind)!.spec['podSelector']) as {
                  matchLabels: object;
                },
            )
            .map(({ matchLabels }) => matchLabels),
        ];
        for (const selector of selectors) {
          expect(selector).toEqual({ 'app.kubernetes.io/name': 'svc', 'app.kubernetes.io/instance': 'files' });
          expect(metadata.labels).toMatchObject(selector as object);
        }
      });

      it('lets in whom the values name, and begins a rolling update when the configuration changes', async () => {
        const values = load(await readFile(join(CHART, 'values.yaml'), 'utf8')) as Record<string, unknown>;
        const other = join(machine.home, 'values.json');
        await writeFile(
          other,
          JSON.stringify({
            ...values,
            config: { ...(values['config'] as object), log: { format: 'text' } },
            networkPolicy: { from: [{ namespaceSelector: { matchLabels: { name: 'ingress' } } }], metricsFrom: [] },
          }),
        );
        const changed = await render(other);
        const sumOf = (resource: Resource | undefined) =>
          (resource!.spec['template'] as { metadata: { annotations: Record<string, string> } }).metadata.annotations[
            'checksum/config'
          ];
        expect(sumOf(changed.find(({ kind }) => kind === 'Deployment'))).not.toBe(sumOf(resources.get('Deployment')));
        expect(changed.find(({ kind }) => kind === 'NetworkPolicy')!.spec['ingress']).toEqual([
          {
            ports: [{ port: 'http', protocol: 'TCP' }],
            from: [{ namespaceSelector: { matchLabels: { name: 'ingress' } } }],
          },
        ]);
        expect(resources.get('NetworkPolicy')!.spec['ingress']).toEqual([
          { ports: [{ port: 'http', protocol: 'TCP' }] },
        ]);
      });

      it('shows metrics to whom the values name, and never in the service', async () => {
        const values = load(await readFile(join(CHART, 'values.yaml'), 'utf8')) as { config: { server: object } };
        const prometheus = { namespaceSelector: { matchLabels: { name: 'monitoring' } } };
        const withMetrics = async (metricsFrom: readonly object[]) => {
          const file = join(machine.home, 'metrics-values.json');
          const server = { ...values.config.server, metrics: { host: '0.0.0.0', port: 9464 } };
          await writeFile(
            file,
            JSON.stringify({
              ...values,
              config: { ...values.config, server },
              networkPolicy: { from: [], metricsFrom },
            }),
          );
          const rendered = await render(file);
          return (kind: string) => rendered.find((each) => each.kind === kind)!.spec;
        };
        const named = await withMetrics([prometheus]);
        const { metadata, spec } = named('Deployment')['template'] as {
          metadata: { annotations: object };
          spec: { containers: { ports: object[] }[] };
        };
        expect(spec.containers[0]!.ports).toEqual([
          { name: 'http', containerPort: 8080 },
          { name: 'metrics', containerPort: 9464 },
        ]);
        expect(metadata.annotations).toMatchObject({ 'prometheus.io/scrape': 'true', 'prometheus.io/port': '9464' });
        expect(named('NetworkPolicy')['ingress']).toEqual([
          { ports: [{ port: 'http', protocol: 'TCP' }] },
          { ports: [{ port: 'metrics', protocol: 'TCP' }], from: [prometheus] },
        ]);
        expect(named('Service')['ports']).toHaveLength(1);
        expect((await withMetrics([]))('NetworkPolicy')['ingress']).toHaveLength(1);
        expect(JSON.stringify(resources.get('Deployment'))).not.toMatch(/prometheus|metrics/);
      });
    },
  );
});
