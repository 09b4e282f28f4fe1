import type { IncomingMessage } from 'node:http';
import { Router, type RequestHandler } from 'express';
import swaggerUi from 'swagger-ui-express';
import { SvcError } from '../errors/svc-error.ts';
import { prefersHtml } from './accept.ts';
import { pageHeaders, type PagePlace } from './headers.ts';
import { signInPath } from './sign-in-path.ts';

export type ReferenceParts = {
  readonly document: Record<string, unknown>;
  readonly place: PagePlace;
  readonly isSignedIn: (req: IncomingMessage) => Promise<boolean>;
};

/** The interactive API reference: `/api/docs` is the page, and its files are beneath. All of it needs a session. */
export function referencePages(parts: ReferenceParts): RequestHandler {
  const router = Router({ caseSensitive: true, strict: true });
  const options = { customSiteTitle: 'svc API', swaggerUrl: './openapi.json' };
  // The page names its parts relative to `/api/docs/`; it is served without the slash.
  const html = swaggerUi.generateHTML(undefined, options).replaceAll('"./swagger-ui', '"docs/swagger-ui').replaceAll('"./favicon', '"docs/favicon');
  router.use('/api/docs', (req, res, next) => {
    parts
      .isSignedIn(req)
      .then((signedIn) => {
        if (signedIn) next();
        else if (prefersHtml(req)) res.set('Cache-Control', 'no-store').redirect(303, signInPath(parts.place.basePath, req.originalUrl));
        else next(new SvcError('session_required', { detail: 'sign in, then try again' }));
      })
      .catch(next);
  });
  const headers = pageHeaders(parts.place, '/api/docs/');
  router.get('/api/docs/', (_req, res) => res.set('Cache-Control', 'no-store').redirect(308, `${parts.place.basePath}/api/docs`));
  router.get('/api/docs', headers, (_req, res) => void res.type('html').send(html));
  router.use('/api/docs', headers, ...swaggerUi.serveFiles(undefined, options));
  return router;
}
