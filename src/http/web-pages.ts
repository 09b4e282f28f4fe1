import { existsSync, readFileSync, readdirSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import express, { Router, type Request, type RequestHandler, type Response } from 'express';
import { escapeHtml } from './page.ts';
import { acceptsHtml } from './accept.ts';
import { pageHeaders, type PagePlace } from './headers.ts';
import { signInPath } from './sign-in-path.ts';

export type WebPageParts = {
  /** Folder of the built web UI. */
  readonly directory: string;
  readonly place: PagePlace;
  readonly isSignedIn: (req: IncomingMessage) => Promise<boolean>;
};

/** Shown without a session. Everything else of the UI is behind one. */
const PUBLIC_PAGES: ReadonlySet<string> = new Set(['/sign-in', '/signed-out']);

/** Other parts of the service, doubled slashes at the start, and names that begin with a dot. */
const NO_PAGE = /^\/(?:\/|(?:api|v1|rpc|assets)(?:\/|$)|(?:\.|%2e)[^/])/i;

/**
 * The web UI: one page for every place, because the place is in the URL. A page request without a session goes to sign in, and comes
 * back to the same place.
 */
export function webPages(parts: WebPageParts): RequestHandler {
  const router = Router({ caseSensitive: true, strict: true });
  const { basePath } = parts.place;
  const index = readIndex(parts.directory, basePath);
  router.use('/assets', express.static(join(parts.directory, 'assets'), { immutable: true, maxAge: '1y', index: false, redirect: false }));
  const files = express.static(parts.directory, { index: false, redirect: false, setHeaders: (res) => void res.setHeader('Cache-Control', 'public, max-age=3600') });
  const names = publicFiles(parts.directory);
  router.use((req, res, next) => {
    if (names.has(req.path)) files(req, res, next);
    else next();
  });
  const headers = pageHeaders(parts.place);
  router.use((req, res, next) => {
    if (!acceptsHtml(req) || NO_PAGE.test(req.path)) {
      next();
      return;
    }
    openPage(req, parts)
      .then((open) => {
        if (open) headers(req, res, () => sendIndex(res, index));
        else res.set('Cache-Control', 'no-store').redirect(303, signInPath(basePath, basePath + req.url));
      })
      .catch(next);
  });
  return router;
}

async function openPage(req: Request, parts: WebPageParts): Promise<boolean> {
  return PUBLIC_PAGES.has(req.path) || parts.isSignedIn(req);
}

function sendIndex(res: Response, index: string): void {
  res.set('Cache-Control', 'no-store').type('html').send(index);
}

/** What lies beside the page, as request paths. The page itself is not among them: it is shown in a session, with its headers. */
function publicFiles(directory: string): ReadonlySet<string> {
  if (!existsSync(directory)) return new Set();
  const files = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isFile() && entry.name !== 'index.html');
  return new Set(files.map(({ name }) => `/${name}`));
}

/** The built page, with the base that its relative addresses start from. */
function readIndex(directory: string, basePath: string): string {
  const base = `<base href="${escapeHtml(`${basePath}/`)}">`;
  try {
    const html = readFileSync(join(directory, 'index.html'), 'utf8').replace(/<base [^>]*>/, '');
    return html.replace('<head>', `<head>${base}`);
  } catch {
    return `<!doctype html><html lang="en"><head>${base}<title>svc</title></head><body><main><h1>The web UI is not built</h1><p>Run <code>npm run build:web</code>, then start the service again. The API works: see <a href="api/docs">its reference</a>.</p></main></body></html>`;
  }
}
