import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { heldBytes } from '../../support/held-bytes.ts';
import { needsOneProcess } from '../../support/one-process.ts';
import { startS3Face, type S3Face } from '../../support/s3-face.ts';
import { signed } from '../../support/s3-signer.ts';

/** As many as one person may have under way. */
const REQUESTS = 16;
const PARTS = 300;
const NAMES = 250;

let face: S3Face;
beforeAll(async () => {
  face = await startS3Face();
});
afterAll(() => face.app.close());

it('what a body in XML says besides what its call takes is not kept while storage is at work', async () => {
  needsOneProcess('the memory is that of this process');
  const key = await face.key('eve');
  const { host, port } = new URL(face.endpoint);
  const others = Array.from({ length: NAMES }, (_, i) => `<x${i}/>`).join('');
  const part = (number: number) => `<Part>${others}<PartNumber>${number}</PartNumber><ETag>"x"</ETag></Part>`;
  const parts = Array.from({ length: PARTS }, (_, i) => part(i + 1)).join('');
  const body = `<CompleteMultipartUpload>${parts}</CompleteMultipartUpload>`;
  const requestOf = (i: number): string => {
    const request = { method: 'POST', target: `/files/held-${i}?uploadId=x`, body, key, host };
    const lines = Object.entries({ ...signed(request), 'content-length': String(body.length) });
    return `POST ${request.target} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
  };
  // What the first such request loads stays.
  const first = connect(Number(port), '127.0.0.1');
  first.write(requestOf(REQUESTS));
  await once(first, 'data');
  first.destroy();
  const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
  const { promise: isFull, resolve: full } = Promise.withResolvers<undefined>();
  let asked = 0;
  face.app.storageCalls.before = async (call) => {
    if (!call.startsWith('POST')) return;
    asked += 1;
    if (asked === REQUESTS) full(undefined);
    await released;
  };
  const before = heldBytes();
  const sockets: Socket[] = [];
  for (let i = 0; i < REQUESTS; i += 1) {
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(requestOf(i));
    sockets.push(socket);
  }
  await isFull;
  const held = heldBytes() - before;
  const answers = sockets.map((socket) => once(socket, 'data'));
  release(undefined);
  await Promise.all(answers);
  for (const socket of sockets) socket.destroy();
  face.app.storageCalls.before = undefined;
  // Apart from the body itself. The other elements take eight times as much.
  expect(held / REQUESTS).toBeLessThan(2 * body.length);
});
