import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { Router, type RequestHandler } from 'express';
import { SvcError } from '../../errors/svc-error.ts';
import { prefersHtml } from '../routing/accept.ts';
import { pageHeaders, type PagePlace } from '../routing/headers.ts';
import { REFERENCE_THEME } from './reference-theme.ts';
import { signInPath } from './sign-in-path.ts';
import { staticFiles } from './static-files.ts';

export type ReferenceParts = {
  /** Folder of the built web UI. The build puts the files of the reference into its folder `reference`. */
  readonly webDirectory: string;
  readonly place: PagePlace;
  readonly isSignedIn: (req: IncomingMessage) => Promise<boolean>;
};

/** The page names its files relative to `/api/docs/`; it is served without the trailing slash. */
const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>svc API</title>
<link rel="icon" type="image/png" href="docs/favicon-32x32.png" sizes="32x32">
<link rel="icon" type="image/png" href="docs/favicon-16x16.png" sizes="16x16">
<link rel="stylesheet" href="docs/swagger-ui.css">
<link rel="stylesheet" href="docs/theme.css">
</head>
<body>
<header><a href="../">Back to the storage</a></header>
<div id="reference"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
`;

/** Uses the colour scheme that was chosen in the web UI, otherwise the system's. Without the standalone layout, Swagger shows no top bar. */
const START = `
const chosen = localStorage.getItem('svc-color-scheme');
const system = matchMedia('(prefers-color-scheme: dark)');
const draw = () => document.documentElement.classList.toggle('dark-mode', chosen === 'dark' || (chosen !== 'light' && system.matches));
draw();
system.addEventListener('change', draw);
SwaggerUIBundle({ url: './openapi.json', dom_id: '#reference', deepLinking: true });
`;

/** The interactive API reference: `/api/docs` is the page, with its files beneath. All of it needs a session. */
export function referencePages(parts: ReferenceParts): RequestHandler {
  const router = Router({ caseSensitive: true, strict: true });
  router.use('/api/docs', (req, res, next) => {
    parts
      .isSignedIn(req)
      .then((signedIn) => {
        if (signedIn) next();
        else if (prefersHtml(req))
          res.set('Cache-Control', 'no-store').redirect(303, signInPath(parts.place.basePath, req.originalUrl));
        else next(new SvcError('session_required', { detail: 'sign in, then try again' }));
      })
      .catch(next);
  });
  const headers = pageHeaders(parts.place, '/api/docs/');
  router.get('/api/docs/', (_req, res) =>
    res.set('Cache-Control', 'no-store').redirect(308, `${parts.place.basePath}/api/docs`),
  );
  router.get('/api/docs', headers, (_req, res) => void res.type('html').send(PAGE));
  router.get('/api/docs/start.js', headers, (_req, res) => void res.type('js').send(START));
  router.get('/api/docs/theme.css', headers, (_req, res) => void res.type('css').send(REFERENCE_THEME));
  router.use(
    '/api/docs',
    headers,
    staticFiles(
      join(parts.webDirectory, 'reference'),
      (res) => void res.setHeader('Cache-Control', 'private, max-age=3600'),
    ),
  );
  return router;
}
