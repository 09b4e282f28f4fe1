import { existsSync, readFileSync, readdirSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { lookup } from 'mime-types';
import { sessionPreload } from '../wire/ui.ts';

/** The web UI that ships with the application. It is the same build that the service sends to browsers. */
export class UiFiles {
  readonly #directory: string;
  /** The available files: paths below the folder, with slashes. */
  readonly #names: ReadonlySet<string>;

  constructor(directory: string) {
    this.#directory = directory;
    const names = existsSync(directory) ? readdirSync(directory, { recursive: true, encoding: 'utf8' }) : [];
    this.#names = new Set(
      names.map((name) => name.replaceAll('\\', '/')).filter((name) => /\.\w+$/.test(name) && name !== 'index.html'),
    );
  }

  get isBuilt(): boolean {
    return this.#names.size > 0;
  }

  /** @returns false when it is not a file of the UI. */
  sendFile(res: ServerResponse, path: string): boolean {
    if (!this.#names.has(path)) return false;
    res.writeHead(200, {
      'content-type': contentTypeOf(path),
      'cache-control': path.startsWith('assets/') ? 'private, max-age=31536000, immutable' : 'no-store',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
    });
    res.end(readFileSync(join(this.#directory, path)));
    return true;
  }

  /** Sends the page, for every address that the UI handles in the browser. */
  sendPage(res: ServerResponse, base: { readonly origin: string; readonly path: string }): void {
    const html = readFileSync(join(this.#directory, 'index.html'), 'utf8')
      .replace(/<base [^>]*>/, '')
      .replace('<head>', `<head><base href="${base.path}">`);
    res.writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      link: sessionPreload(base.path),
      'content-security-policy': policyFor(`${base.origin}${base.path}assets/`),
    });
    res.end(html);
  }
}

function contentTypeOf(path: string): string {
  const type = lookup(path) || 'application/octet-stream';
  return type.startsWith('text/') ? `${type}; charset=utf-8` : type;
}

/** As strict as the service's own policy: scripts come from the UI's folder only, because stored objects share this origin. */
function policyFor(scripts: string): string {
  const directives = {
    'default-src': "'self'",
    'script-src': scripts,
    'style-src': "'self' 'unsafe-inline'",
    'img-src': "'self' blob: data:",
    'media-src': "'self' blob:",
    'font-src': "'self' data:",
    'connect-src': "'self'",
    'frame-src': "'self' blob:",
    'object-src': "'none'",
    'worker-src': scripts,
    'base-uri': "'self'",
    'form-action': "'self'",
    'frame-ancestors': "'none'",
  };
  return Object.entries(directives)
    .map((directive) => directive.join(' '))
    .join('; ');
}
