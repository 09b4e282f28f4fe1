import type { RequestListener } from 'node:http';
import type { RequestHandler } from 'express';
import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';
import type { Route } from './route.ts';

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120];

/** Prometheus metrics of the process and of each row. A label holds the row's path pattern, never a bucket, key or name. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests = new Counter({ name: 'svc_http_requests_total', help: 'Requests answered, by row and status.', labelNames: ['method', 'route', 'status'], registers: [this.#registry] });
  readonly #seconds = new Histogram({ name: 'svc_http_request_duration_seconds', help: 'Seconds from a request to the end of its answer.', labelNames: ['method', 'route'], buckets: SECONDS, registers: [this.#registry] });

  constructor() {
    collectDefaultMetrics({ register: this.#registry });
  }

  /** Counts and times the requests of a row. */
  observe(row: Route): RequestHandler {
    return (req, res, next) => {
      const since = performance.now();
      res.once('close', () => {
        const labels = { method: req.method, route: row.path };
        this.#requests.inc({ ...labels, status: res.statusCode });
        this.#seconds.observe(labels, (performance.now() - since) / 1000);
      });
      next();
    };
  }

  /** Answers `GET /metrics`, on a server of its own. */
  readonly listener: RequestListener = (req, res) => {
    if (req.url !== '/metrics') {
      res.writeHead(404).end();
      return;
    }
    this.#registry.metrics().then(
      (text) => res.writeHead(200, { 'content-type': this.#registry.contentType }).end(text),
      () => res.writeHead(500).end(),
    );
  };
}
