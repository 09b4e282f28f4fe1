import { QueryClient } from '@tanstack/react-query';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type * as objectBytes from '../../../src/web/preview/object-bytes.ts';

const OBJECT = { provider: 'main', bucket: 'files', key: 'grown.txt' };
const { fetch } = globalThis;
const { signal } = new AbortController();
const client = new QueryClient();
/** What the service answers. */
let answer: () => Response;

let sent = 0;
/** A body that does not end before a gibibyte. */
function endless(): ReadableStream<Uint8Array> {
  sent = 0;
  return new ReadableStream({
    pull: (controller) => {
      sent += 65_536;
      controller.enqueue(new Uint8Array(65_536).fill(97));
      if (sent >= 2 ** 30) controller.close();
    },
  });
}

let bytes: typeof objectBytes;
beforeAll(async () => {
  Object.assign(globalThis, {
    document: { baseURI: 'http://svc.test/' },
    window: { location: { origin: 'http://svc.test' } },
    fetch: async () => answer(),
  });
  bytes = await import('../../../src/web/preview/object-bytes.ts');
});
beforeEach(() => {
  answer = () => new Response(endless());
});
afterAll(() => {
  globalThis.fetch = fetch;
});

describe('readHead', () => {
  it('takes no more than the asked bytes when the answer is the whole object', async () => {
    const head = await bytes.readHead(OBJECT, { size: 2 ** 30, isCompressed: false }, 100_000, signal);
    expect({ bytes: head.bytes.byteLength, isCut: head.isCut }).toEqual({ bytes: 100_000, isCut: true });
    expect(sent).toBeLessThan(1_000_000);
  });

  it('takes no more of an object that has grown since its size was read, and says that there is more', async () => {
    const head = await bytes.readHead(OBJECT, { size: 10, isCompressed: false }, 100_000, signal);
    expect({ bytes: head.bytes.byteLength, isCut: head.isCut }).toEqual({ bytes: 100_000, isCut: true });
    expect(sent).toBeLessThan(1_000_000);
  });
});

describe('rangeReader', () => {
  it('refuses a partial answer with more or fewer bytes than it asked for', async () => {
    const read = bytes.rangeReader(OBJECT, { etag: '"x"', signal, client });
    answer = () => new Response(endless(), { status: 206 });
    await expect(read(10, 30)).rejects.toMatchObject({ code: 'unexpected_answer' });
    expect(sent).toBeLessThan(1_000_000);
    answer = () => new Response('short', { status: 206 });
    await expect(read(10, 30)).rejects.toMatchObject({ code: 'unexpected_answer' });
    await expect(read(10, 15)).resolves.toEqual(new TextEncoder().encode('short'));
  });
});

describe('readWhole', () => {
  it('stops at an object that is larger than the preview takes, as one that is stored compressed may be', async () => {
    const shown = { most: 100_000, type: 'image/png' };
    expect(await bytes.readWhole(OBJECT, shown, signal)).toBeNull();
    expect(sent).toBeLessThan(1_000_000);
    answer = () => new Response('whole', { headers: { 'content-type': 'text/html' } });
    const whole = await bytes.readWhole(OBJECT, { ...shown, most: 5 }, signal);
    expect([whole?.type, await whole?.text()]).toEqual(['image/png', 'whole']);
  });
});
