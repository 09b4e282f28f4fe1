import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from '@jest/globals';
import { SvcError } from '../../src/errors/svc-error.ts';
import { s3Listener, type S3ListenerParts } from '../../src/s3/listener.ts';

/** Each error with which an operation ends, the answer, and the code in the log. */
it.each([
  ['storage_unavailable', 'ServiceUnavailable', 'ServiceUnavailable'],
  ['overloaded', 'SlowDown', 'SlowDown'],
  // One person could fill the log.
  ['rate_limited', 'SlowDown', undefined],
  ['not_supported', 'NotImplemented', undefined],
  ['access_denied', 'AccessDenied', undefined],
] as const)('%s is answered as %s, and logged as %s', async (code, answered, logged) => {
  const lines: object[] = [];
  const server = createServer(
    s3Listener({
      performer: { perform: () => Promise.reject(new SvcError(code)) },
      endpointHost: '127.0.0.1',
      addressOf: () => undefined,
      log: { error: (_message: string, fields: object) => lines.push(fields) },
    } as unknown as S3ListenerParts),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/bucket/key`);
    expect(await answer.text()).toContain(`<Code>${answered}</Code>`);
    expect(lines.map((line) => ({ ...line, requestId: '', cause: '' }))).toEqual(
      logged === undefined ? [] : [{ requestId: '', cause: '', answered: logged }],
    );
  } finally {
    server.close();
  }
});
