import { describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { IncomingBody, wholeBody } from '../../src/storage/incoming-body.ts';

describe('IncomingBody', () => {
  it.each([6, undefined])(
    'passes the last bytes and its end after the answer that it waits for (announced: %s)',
    async (bytes) => {
      const { promise, resolve } = Promise.withResolvers<undefined>();
      let asked = 0;
      const body = new IncomingBody(Readable.from([Buffer.from('abc'), Buffer.from('def')]), bytes, undefined, {
        beforeEnd: () => ((asked += 1), promise),
      });
      let isOver = false;
      const read = text(body).finally(() => (isOver = true));
      for (let turns = 0; turns < 20; turns += 1) await turn();
      expect([asked, isOver]).toEqual([1, false]);
      resolve(undefined);
      await expect(read).resolves.toBe('abcdef');
      expect(asked).toBe(1);
    },
  );

  it('ends with the error of what it waits for, and leaves its source for an answer', async () => {
    const source = new PassThrough();
    const body = new IncomingBody(source, 3, undefined, {
      beforeEnd: () => Promise.reject(new Error('somebody else has it')),
    });
    source.write('abc');
    await expect(text(body)).rejects.toThrow('somebody else has it');
    expect(source.destroyed).toBe(false);
  });

  it('fails when its source goes away before its end', async () => {
    const source = new PassThrough();
    const body = new IncomingBody(source, undefined, undefined);
    source.write('abc');
    expect(String(await once(body, 'data'))).toBe('abc');
    source.destroy();
    await expect(once(body, 'end')).rejects.toThrow('the body broke off');
  });

  it('fails when its source was gone before, with the reason of that', async () => {
    const source = new PassThrough().on('error', () => undefined);
    source.destroy(new Error('gone'));
    await turn();
    expect(source.closed).toBe(true);
    await expect(text(new IncomingBody(source, undefined, undefined))).rejects.toThrow('gone');
  });

  it('reads no more than it can pass on', async () => {
    let made = 0;
    const source = new Readable({
      read() {
        made += 1;
        this.push(Buffer.alloc(65_536));
      },
    });
    const body = new IncomingBody(source, undefined, undefined);
    body.read(0);
    for (let turns = 0; turns < 20; turns += 1) await turn();
    expect(made).toBeLessThanOrEqual(4);
    body.destroy();
  });
});

describe('wholeBody', () => {
  it('refuses a body that is longer than announced, however it is cut', async () => {
    for (const chunks of [['a', 'bcdef'], ['abcde', 'f'], ['abcdef'], ['abc', 'def']])
      await expect(wholeBody(Readable.from(chunks.map((chunk) => Buffer.from(chunk))), 5, {})).rejects.toThrow(
        'should be 5 bytes long, and more arrived',
      );
  });

  it('throws the reason of a signal that aborted before, and leaves no other error to nobody', async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown): void => void unhandled.push(error);
    process.on('unhandledRejection', note);
    try {
      const source = new PassThrough();
      source.destroy();
      const signal = AbortSignal.abort(new Error('the client left'));
      await expect(wholeBody(source, 5, { signal })).rejects.toThrow('the client left');
      await turn();
      await turn();
      expect([unhandled, source.listenerCount('data')]).toEqual([[], 0]);
    } finally {
      process.off('unhandledRejection', note);
    }
  });
});
