import type { RequestListener } from 'node:http';
import { Registry } from 'prom-client';

/** Answers `GET /metrics`, on a separate server. @param text - the current values in the format of Prometheus. */
export function metricsListener(text: () => Promise<string>): RequestListener {
  return (req, res) => {
    if (req.url !== '/metrics') {
      res.writeHead(404).end();
      return;
    }
    text().then(
      (page) => res.writeHead(200, { 'content-type': Registry.PROMETHEUS_CONTENT_TYPE }).end(page),
      () => res.writeHead(500).end(),
    );
  };
}
