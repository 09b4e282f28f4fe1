import { existsSync, readdirSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { extname } from 'node:path';
import express, { type RequestHandler } from 'express';
import { encodingFor, type Encoding } from '../routing/compressed.ts';

const EXTENSIONS: Readonly<Record<Encoding, string>> = { br: '.br', gzip: '.gz' };

/** Serves the files of a folder, compressed if the client accepts it and the build left a `.br` or `.gz` next to the file. */
export function staticFiles(
  directory: string,
  setHeaders: (res: ServerResponse, path: string) => void,
): RequestHandler {
  const serve = express.static(directory, {
    index: false,
    redirect: false,
    acceptRanges: false,
    lastModified: false,
    setHeaders,
  });
  const paths = new Set(existsSync(directory) ? readdirSync(directory).map((name) => `/${name}`) : []);
  return (req, res, next) => {
    const { path, url } = req;
    res.vary('Accept-Encoding');
    const encoding = encodingFor(req, (each) => paths.has(path + EXTENSIONS[each]));
    if (encoding === undefined) {
      serve(req, res, next);
      return;
    }
    res.setHeader('Content-Encoding', encoding);
    res.type(extname(path));
    req.url = path + EXTENSIONS[encoding];
    serve(req, res, (error) => {
      req.url = url;
      res.removeHeader('Content-Encoding');
      next(error);
    });
  };
}
