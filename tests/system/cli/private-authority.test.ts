import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { signInDesktop } from '../../support/desktop-client.ts';
import { PrivateAuthority, startTlsFront, type TlsFront } from '../../support/private-authority.ts';
import { Machine } from '../../cli/svc-process.ts';

let app: TestApp;
let machine: Machine;
let authority: PrivateAuthority;
let front: TlsFront;
let server: string;
let credential: string;

beforeAll(async () => {
  app = await startApp();
  credential = (await signInDesktop(app, 'eve')).access_token;
  machine = await Machine.make();
  authority = new PrivateAuthority();
  front = await startTlsFront(app.origin, authority.issue());
  server = `https://127.0.0.1:${front.port}`;
});
afterAll(async () => {
  authority.remove();
  await front.close();
  await machine.remove();
  await app.close();
});

describe('svc at a service with a certificate of a private authority', () => {
  it('says what is not trusted, and what to set', async () => {
    expect(await machine.svc('providers', '--server', server)).toMatchObject({
      status: 1,
      stderr: `${server} shows a certificate of an authority that is not trusted here (UNABLE_TO_VERIFY_LEAF_SIGNATURE); set \`--ca\` (or SVC_CA_FILE) to a file with that authority's certificate\n`,
    });
  });

  it('trusts the authority that is given with --ca or SVC_CA_FILE', async () => {
    expect(
      await machine.svc('providers', '--server', server, '--credential', credential, '--ca', authority.file),
    ).toMatchObject({ status: 0, stderr: '' });
    expect(
      await machine.start(['providers', '--server', server, '--credential', credential], {
        SVC_CA_FILE: authority.file,
      }).ended,
    ).toMatchObject({ status: 0, stderr: '' });
  });

  it('is wrong usage when the file cannot be used', async () => {
    expect(await machine.svc('providers', '--server', server, '--ca', '/nowhere.pem')).toMatchObject({
      status: 2,
      stderr: 'the file `/nowhere.pem` of `--ca` cannot be read (ENOENT)\n',
    });
    expect(await machine.svc('providers', '--server', server, '--ca', import.meta.filename)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('holds no certificate in PEM form'),
    });
  });
});
