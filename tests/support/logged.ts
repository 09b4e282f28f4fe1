import { Writable } from 'node:stream';
import { createLogger } from '../../src/log/logger.ts';

/** A stream, and what was written to it. */
export function collector(): { readonly stream: Writable; readonly text: () => string } {
  const chunks: string[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk.toString());
      done();
    },
  });
  return { stream, text: () => chunks.join('') };
}

/** What a logger writes. */
export function logged(write: (log: ReturnType<typeof createLogger>) => void, format: 'json' | 'text'): string {
  const { stream, text } = collector();
  write(createLogger({ level: 'debug', format, stream }));
  return text();
}
