import type { IncomingMessage } from 'node:http';

/** Whether a page is a suitable answer: for browsers, and for clients that accept anything, such as curl. */
export function acceptsHtml(req: IncomingMessage): boolean {
  return (
    prefersHtml(req) ||
    ((req.method === 'GET' || req.method === 'HEAD') && /(?:^|,)\s*\*\/\*/.test(req.headers.accept ?? '*/*'))
  );
}

/** Whether a person opened this address in a browser: `Accept` names HTML. Accepting anything is not enough. */
export function prefersHtml(req: IncomingMessage): boolean {
  if (req.method !== 'GET' && req.method !== 'HEAD') return false;
  const accept = req.headers.accept;
  return accept?.includes('text/html') === true;
}
