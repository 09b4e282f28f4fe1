import { Router, type Request, type RequestHandler } from 'express';
import swaggerUi from 'swagger-ui-express';
import { SvcError } from '../errors/svc-error.ts';
import { pageHeaders } from './headers.ts';

export type ReferenceParts = {
  readonly document: Record<string, unknown>;
  readonly isSignedIn: (req: Request) => Promise<boolean>;
  readonly secure: boolean;
};

/** The interactive API reference: `/api/docs` is the page, and what it loads lies beneath. All of it needs a session. */
export function referencePages(parts: ReferenceParts): RequestHandler {
  const router = Router({ caseSensitive: true, strict: true });
  const options = { customSiteTitle: 'svc API', swaggerUrl: './openapi.json' };
  // The page names its parts relative to `/api/docs/`; it is served without the slash.
  const html = swaggerUi.generateHTML(undefined, options).replaceAll('"./swagger-ui', '"docs/swagger-ui').replaceAll('"./favicon', '"docs/favicon');
  router.use('/api/docs', (req, _res, next) => {
    parts.isSignedIn(req).then((signedIn) => next(signedIn ? undefined : new SvcError('session_required', { detail: 'sign in, then try again' })), next);
  });
  router.get('/api/docs', pageHeaders({ secure: parts.secure }), (_req, res) => void res.type('html').send(html));
  router.use('/api/docs', pageHeaders({ secure: parts.secure }), ...swaggerUi.serveFiles(undefined, options));
  return router;
}
