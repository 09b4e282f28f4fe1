import type { Request } from 'express';

/** A page would do: also for whoever takes anything, as curl does. */
export function acceptsHtml(req: Request): boolean {
  return prefersHtml(req) || ((req.method === 'GET' || req.method === 'HEAD') && /(?:^|,)\s*\*\/\*/.test(req.headers.accept ?? '*/*'));
}

/** A person in a browser opened this: a navigation that accepts HTML. A client that accepts anything is not one. */
export function prefersHtml(req: Request): boolean {
  if (req.method !== 'GET' && req.method !== 'HEAD') return false;
  const accept = req.headers.accept;
  return accept?.includes('text/html') === true;
}
