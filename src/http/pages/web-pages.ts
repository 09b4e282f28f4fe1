import { existsSync, readFileSync, readdirSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { Router, type Request, type RequestHandler, type Response } from 'express';
import { escapeHtml } from './page.ts';
import { sessionPreload } from '../../wire/ui.ts';
import { acceptsHtml } from '../routing/accept.ts';
import type { Branding } from './branding.ts';
import { compressed } from '../routing/compressed.ts';
import { pageHeaders, type PagePlace } from '../routing/headers.ts';
import { signInPath } from './sign-in-path.ts';
import { staticFiles } from './static-files.ts';

export type WebPageParts = {
  /** Folder of the built web UI. */
  readonly directory: string;
  readonly place: PagePlace;
  readonly branding: Branding;
  readonly isSignedIn: (req: IncomingMessage) => Promise<boolean>;
};

export type WebPages = {
  readonly router: RequestHandler;
  /** Sends the page of the web UI, which reads its address in the browser. The headers of pages are set already. */
  readonly send: RequestHandler;
};

/** Pages that are shown without a session. Every other page of the UI needs one. */
const PUBLIC_PAGES: ReadonlySet<string> = new Set(['/sign-in', '/signed-out']);

/** The only script that may answer for pages as a service worker. */
const OFFLINE_WORKER = /[/\\]offline-worker-[\w-]+\.js(?:\.\w+)?$/;

/** Paths that are not pages: other parts of the service, doubled slashes at the start, and names that begin with a dot. */
const NO_PAGE = /^\/(?:\/|(?:api|v1|rpc|assets)(?:\/|$)|(?:\.|%2e)[^/])/i;

/**
 * Serves the web UI: one HTML page for every address, which reads the address in the browser. A request without a session is redirected to the sign-in, which
 * returns to the same address.
 */
export function webPages(parts: WebPageParts): WebPages {
  const router = Router({ caseSensitive: true, strict: true });
  const { basePath } = parts.place;
  const index = Buffer.from(parts.branding.into(readIndex(parts.directory, basePath)));
  router.use(parts.branding.logo(), parts.branding.manifest());
  router.use(
    '/assets',
    staticFiles(join(parts.directory, 'assets'), (res, path) => {
      res.setHeader('Cache-Control', 'public, max-age=31536000, immutable');
      if (OFFLINE_WORKER.test(path)) res.setHeader('Service-Worker-Allowed', `${basePath}/`);
    }),
  );
  const files = staticFiles(parts.directory, (res) => void res.setHeader('Cache-Control', 'public, max-age=3600'));
  const names = publicFiles(parts.directory);
  router.use((req, res, next) => {
    if (names.has(req.path)) files(req, res, next);
    else next();
  });
  const headers = pageHeaders(parts.place);
  const send: WebPages['send'] = (req, res, next) => void sendIndex(req, res, index).catch(next);
  router.use((req, res, next) => {
    if (!acceptsHtml(req) || NO_PAGE.test(req.path)) {
      next();
      return;
    }
    openPage(req, parts)
      .then((open) => {
        if (open === 'no') res.set('Cache-Control', 'no-store').redirect(303, signInPath(basePath, basePath + req.url));
        else {
          if (open === 'signed in') res.setHeader('Link', sessionPreload(`${basePath}/`));
          headers(req, res, () => send(req, res, next));
        }
      })
      .catch(next);
  });
  return { router, send };
}

async function openPage(req: Request, { isSignedIn }: WebPageParts): Promise<'public' | 'signed in' | 'no'> {
  if (PUBLIC_PAGES.has(req.path)) return 'public';
  return (await isSignedIn(req)) ? 'signed in' : 'no';
}

async function sendIndex(req: Request, res: Response, index: Buffer): Promise<void> {
  const { headers, body } = await compressed(req, index);
  res
    .set({ 'Cache-Control': 'no-store', ...headers })
    .type('html')
    .send(body);
}

/** The request paths of the built files next to the page. The page itself is excluded, because it needs a session and its own headers. */
function publicFiles(directory: string): ReadonlySet<string> {
  if (!existsSync(directory)) return new Set();
  const files = readdirSync(directory, { withFileTypes: true }).filter(
    (entry) => entry.isFile() && entry.name !== 'index.html',
  );
  return new Set(files.map(({ name }) => `/${name}`));
}

/** The built page, with the base path for its relative addresses. */
function readIndex(directory: string, basePath: string): string {
  const base = `<base href="${escapeHtml(`${basePath}/`)}">`;
  try {
    const html = readFileSync(join(directory, 'index.html'), 'utf8').replace(/<base [^>]*>/, '');
    return html.replace('<head>', `<head>${base}`);
  } catch {
    return `<!doctype html><html lang="en"><head>${base}<title>svc</title></head><body><main><h1>The web UI is not built</h1><p>Run <code>npm run build:web</code>, then start the service again. The API works: see <a href="api/openapi.json">its description</a>.</p></main></body></html>`;
  }
}
