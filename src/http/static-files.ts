import type { ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import expressStaticGzip from 'express-static-gzip';

/** Serves the files of a folder, compressed where the client reads that and the build left a `.br` or `.gz` beside the file. */
export function staticFiles(directory: string, setHeaders: (res: ServerResponse) => void): RequestHandler {
  return expressStaticGzip(directory, { enableBrotli: true, orderPreference: ['br', 'gzip'], index: false, serveStatic: { redirect: false, acceptRanges: false, lastModified: false, setHeaders } });
}
