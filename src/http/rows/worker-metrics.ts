import type { RequestListener } from 'node:http';
import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue } from 'prom-client';
import { withDeadline } from '../../bounds/deadline.ts';
import { metricsListener } from './metrics-listener.ts';

/** The values of all metrics of one process. */
export type MetricValues = MetricObjectWithValues<MetricValue<string>>[];

/** How long a worker may take to answer. Then its last values count. */
const ANSWER_MS = 2_000;

/** The metrics of all workers as one page. What ended workers had counted until the last scrape stays counted, because a sum must not fall. */
export class WorkerMetrics {
  readonly listener: RequestListener = metricsListener(() => this.#text());
  readonly #ask: () => readonly (readonly [worker: number, values: Promise<MetricValues>])[];
  readonly #latest = new Map<number, MetricValues>();
  #ofEnded: Promise<MetricValues> = Promise.resolve([]);

  /** @param ask - asks each worker for its values. */
  constructor(ask: () => readonly (readonly [worker: number, values: Promise<MetricValues>])[]) {
    this.#ask = ask;
  }

  ended(worker: number): void {
    const last = this.#latest.get(worker) ?? [];
    this.#latest.delete(worker);
    const counted = last.filter(({ type }) => String(type) === 'counter' || String(type) === 'histogram');
    this.#ofEnded = this.#ofEnded.then((before) => AggregatorRegistry.aggregate([before, counted]).getMetricsAsJSON());
  }

  async #text(): Promise<string> {
    await Promise.all(
      this.#ask().map(async ([worker, values]) => {
        const answer = withDeadline(values, ANSWER_MS, () => new Error(`worker ${worker} gave no answer`));
        const latest = await answer.catch(() => undefined);
        if (latest !== undefined) this.#latest.set(worker, latest);
      }),
    );
    return AggregatorRegistry.aggregate([...this.#latest.values(), await this.#ofEnded]).metrics();
  }
}
