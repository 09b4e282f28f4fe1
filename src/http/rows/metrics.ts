import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry, type Aggregator } from 'prom-client';
import type { Tally } from '../../audit/record.ts';
import { atMostEvery } from './at-most-every.ts';
import { metricsListener } from './metrics-listener.ts';
import type { ReadinessCheck } from './routes-health.ts';
import type { MetricValues } from './worker-metrics.ts';

const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120];
const STORAGE_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** Counting sessions may query another machine, so it is not done at every scrape. */
const COUNTED_FOR_MS = 30_000;

type StorageCall = {
  readonly provider: string;
  readonly operation: string;
  readonly outcome: string;
  readonly seconds: number;
};

type SinkState = {
  readonly name: string;
  readonly lagSeconds: number;
  readonly unsentBytes: number;
  readonly skippedLines: number;
  readonly isFailing: boolean;
};

/** Values that are read at each scrape. */
export type Gauges = {
  readonly sessions: () => Promise<number>;
  readonly sockets: () => number;
  /** The earliest end of the identity provider's certificates, in milliseconds since the epoch; undefined while it is unknown. */
  readonly certificateEndsAt: () => number | undefined;
  readonly checks: readonly ReadinessCheck[];
  /** Set when the audit is written to files. */
  readonly audit:
    { readonly lagSeconds: number; readonly lostLines: number; sinks(): readonly SinkState[] } | undefined;
};

/**
 * Prometheus metrics of the process and the service.
 *
 * Labels have values that the program or the configuration defines: a route's pattern, an operation, a code, a provider. They never contain a bucket, a key or
 * a person.
 *
 * It is one file, because each metric is here once, with its name, its help and what changes it.
 */
export class Metrics implements Tally {
  readonly #registry = new Registry();
  readonly #into = { registers: [this.#registry] };
  readonly #requests = new Counter({
    name: 'svc_http_requests_total',
    help: 'Requests answered, by row and status.',
    labelNames: ['method', 'route', 'status'],
    ...this.#into,
  });
  readonly #seconds = new Histogram({
    name: 'svc_http_request_duration_seconds',
    help: 'Seconds from a request to the end of its answer.',
    labelNames: ['method', 'route'],
    buckets: REQUEST_SECONDS,
    ...this.#into,
  });
  readonly #decisions = new Counter({
    name: 'svc_policy_decisions_total',
    help: 'Policy decisions, by action and outcome. Entries that a listing hides are not counted.',
    labelNames: ['action', 'outcome'],
    ...this.#into,
  });
  readonly #signIns = new Counter({
    name: 'svc_sign_ins_total',
    help: 'Steps of sign-ins, by result: done, or the code of the problem. A desktop client takes the steps finish and exchange.',
    labelNames: ['step', 'result'],
    ...this.#into,
  });
  readonly #storage = new Histogram({
    name: 'svc_storage_request_duration_seconds',
    help: 'Seconds of a request to a storage provider, further attempts included; until the content begins where an object is read.',
    labelNames: ['provider', 'operation', 'outcome'],
    buckets: STORAGE_SECONDS,
    ...this.#into,
  });
  readonly #reloaded = new Gauge({
    name: 'svc_config_last_reload_successful',
    help: 'Whether the last configuration reload succeeded; 1 before the first reload.',
    aggregator: 'min',
    ...this.#into,
  });

  constructor(version: string) {
    this.reloaded(true);
    collectDefaultMetrics({ register: this.#registry });
    // These gauges have names of counters. The gauges by `type` have the same numbers.
    for (const what of ['handles', 'requests', 'resources'])
      this.#registry.removeSingleMetric(`nodejs_active_${what}_total`);
    // Of several workers, the one that stands still counts, and the one that was started last. By default, these are averaged and left out.
    for (const name of ['nodejs_eventloop_lag_p99_seconds', 'process_start_time_seconds'])
      Object.assign(this.#registry.getSingleMetric(name) ?? {}, { aggregator: 'max' });
    new Gauge({
      name: 'svc_build_info',
      help: 'The version of the service; always 1.',
      labelNames: ['version'],
      aggregator: 'first',
      ...this.#into,
    }).set({ version }, 1);
  }

  /** Counts and times the requests to a path. */
  observe(path: string): (req: IncomingMessage, res: ServerResponse) => void {
    return (req, res) => {
      const since = performance.now();
      res.once('close', () => {
        const labels = { method: req.method!, route: path };
        this.#requests.inc({ ...labels, status: res.statusCode });
        this.#seconds.observe(labels, (performance.now() - since) / 1000);
      });
    };
  }

  decided(action: string, isAllowed: boolean): void {
    this.#decisions.inc({ action, outcome: isAllowed ? 'allow' : 'deny' });
  }

  ended(operation: string, why = 'done'): void {
    if (operation.startsWith('login/')) this.#signIns.inc({ step: operation.slice('login/'.length), result: why });
  }

  reloaded(isTakenOver: boolean): void {
    this.#reloaded.set(Number(isTakenOver));
  }

  readonly stored = ({ seconds, ...labels }: StorageCall): void => this.#storage.observe(labels, seconds);

  /** Reads these gauges at each scrape from now on. */
  read({ sessions, sockets, certificateEndsAt, checks, audit }: Gauges): void {
    const count = atMostEvery(COUNTED_FOR_MS, sessions);
    this.#gauge(
      'svc_sessions',
      'Active sessions, of all instances that share a store; counted at most every 30 seconds.',
      count,
      'max',
    );
    this.#gauge('svc_sockets', 'Open WebSockets of this instance.', sockets, 'sum');
    this.#gauge(
      'svc_identity_provider_certificate_not_after_timestamp_seconds',
      'The earliest expiry of the certificates of the identity provider, seen at the last sign-in. Not known through a proxy.',
      () => secondsOf(certificateEndsAt()),
      'min',
    );
    new Gauge({
      name: 'svc_ready',
      help: 'Whether a dependency of the service can be used, as `GET /api/ready` checks it.',
      labelNames: ['check'],
      aggregator: 'min',
      ...this.#into,
      async collect() {
        await Promise.all(
          checks.map(async ({ name, check }) =>
            this.set(
              { check: name },
              await check().then(
                () => 1,
                () => 0,
              ),
            ),
          ),
        );
      },
    });
    if (audit === undefined) return;
    this.#gauge(
      'svc_audit_lag_seconds',
      'Seconds that the oldest audit line has waited to be written to the disk.',
      () => audit.lagSeconds,
      'max',
    );
    new Counter({
      name: 'svc_audit_lost_lines_total',
      help: 'Audit lines of reads that were dropped because the disk did not accept them.',
      ...this.#into,
      collect() {
        this.reset();
        this.inc(audit.lostLines);
      },
    });
    if (audit.sinks().length > 0) this.#readSinks(() => audit.sinks());
  }

  /** The current values in the format of Prometheus. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  /** The current values, to be joined with those of other workers. */
  values(): Promise<MetricValues> {
    return this.#registry.getMetricsAsJSON();
  }

  /** Answers `GET /metrics`, on a separate server. */
  readonly listener: RequestListener = metricsListener(() => this.text());

  #readSinks(states: () => readonly SinkState[]): void {
    const labelNames = ['sink'];
    const gauge = (name: string, help: string, valueOf: (state: SinkState) => number, ofAll: Aggregator): void => {
      new Gauge({
        name,
        help,
        aggregator: ofAll,
        labelNames,
        ...this.#into,
        collect() {
          for (const state of states()) this.set({ sink: state.name }, valueOf(state));
        },
      });
    };
    gauge(
      'svc_audit_sink_lag_seconds',
      'Age of the oldest audit line that a sink lacks.',
      ({ lagSeconds }) => lagSeconds,
      'max',
    );
    gauge(
      'svc_audit_sink_unsent_bytes',
      'Bytes of audit lines that wait for a sink.',
      ({ unsentBytes }) => unsentBytes,
      'sum',
    );
    gauge(
      'svc_audit_sink_failing',
      'Whether the last attempt to send lines to a sink failed.',
      ({ isFailing }) => Number(isFailing),
      'max',
    );
    new Counter({
      name: 'svc_audit_sink_skipped_lines_total',
      help: 'Audit lines that a sink will never receive, because more waited than its spool holds.',
      labelNames,
      ...this.#into,
      collect() {
        this.reset();
        for (const { name, skippedLines } of states()) this.inc({ sink: name }, skippedLines);
      },
    });
  }

  /** Adds a gauge that has no sample while its value is unavailable. @param ofAll - how the values of several workers become one. */
  #gauge(name: string, help: string, valueOf: () => number | undefined | Promise<number>, ofAll: Aggregator): void {
    new Gauge({
      name,
      help,
      aggregator: ofAll,
      ...this.#into,
      async collect() {
        const value = await Promise.resolve(valueOf()).catch(() => undefined);
        if (value === undefined) this.remove();
        else this.set(value);
      },
    });
  }
}

function secondsOf(milliseconds: number | undefined): number | undefined {
  return milliseconds === undefined ? undefined : milliseconds / 1000;
}
