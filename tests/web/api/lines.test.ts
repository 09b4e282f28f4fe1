import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

let chunks: readonly Uint8Array[] = [];
const server = http.createServer((_req, res) => {
  res.writeHead(200, { 'content-type': 'application/x-ndjson' });
  const write = (i: number): void => {
    const chunk = chunks[i];
    if (chunk === undefined) res.end();
    else res.write(chunk, () => setImmediate(write, i + 1));
  };
  write(0);
});
const { fetch } = globalThis;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  // A page knows its origin, and Node does not.
  globalThis.fetch = (path, options) => fetch(new URL(path as string, origin), options);
  Object.assign(globalThis, { document: { baseURI: `${origin}/` } });
});
afterAll(() => {
  globalThis.fetch = fetch;
  server.close();
  server.closeAllConnections();
});

type Told = { readonly lines: readonly object[]; readonly next?: string | null; readonly code?: string };

async function read(...given: readonly Uint8Array[]): Promise<Told> {
  chunks = given;
  const { readLines } = await import('../../../src/web/api/lines.ts');
  const lines: object[] = [];
  const steps = readLines(['api', 'x'], {}, new AbortController().signal);
  try {
    for (;;) {
      const step = await steps.next();
      if (step.done) return { lines, next: step.value };
      lines.push(...step.value);
    }
  } catch (error) {
    return { lines, code: (error as { code: string }).code };
  }
}

const text = (...lines: readonly object[]) => Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));

describe('an answer in lines', () => {
  it('is read however its bytes are divided', async () => {
    const all = text({ key: '😀/é/\u2028' }, { seen: 1 }, { done: true });
    for (const size of [1, 2, 3, 1_000]) {
      const parts = Array.from({ length: Math.ceil(all.length / size) }, (_, i) =>
        all.subarray(i * size, (i + 1) * size),
      );
      expect(await read(...parts)).toEqual({ lines: [{ key: '😀/é/\u2028' }, { seen: 1 }], next: null });
    }
  });

  it('gives its cursor, and a line of any length', async () => {
    const key = 'k'.repeat(3_000_000);
    expect(await read(text({ key }, { next_cursor: 'c' }))).toEqual({ lines: [{ key }], next: 'c' });
  });

  it('gives what came together with the fault', async () => {
    const error = { type: 'urn:svc:problem:storage_timeout', code: 'storage_timeout', title: 't', status: 504 };
    expect(await read(text({ key: 'a' }, { error }))).toEqual({
      lines: [{ key: 'a' }],
      code: 'storage_timeout',
    });
  });

  it.each<[string, Uint8Array[]]>([
    ['nothing', []],
    ['half a line', [Buffer.from('{"key":"a"}\n{"do')]],
    ['an end without its line break', [Buffer.from('{"key":"a"}\n{"done":true}')]],
    ['what is no line', [Buffer.from('<html>\n')]],
  ])('is a fault when it ends after %s', async (_what, given) => {
    expect((await read(...given)).code).toBe('network');
  });
});
