import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startS3rver, type S3Emulator } from '../support/s3-server.ts';
import { Machine } from './svc-process.ts';

const SECRET = 'a-session-secret-of-enough-bytes-for-tests';

let machine: Machine;
let s3: S3Emulator;
let file: string;
beforeAll(async () => {
  machine = await Machine.make();
  s3 = await startS3rver({ buckets: ['files'] });
  file = join(machine.home, 'svc.yaml');
});
afterAll(async () => {
  await s3.close();
  await machine.remove();
});

const doctor = async (providers: readonly object[], ...args: string[]) => {
  await writeFile(file, JSON.stringify({ providers }));
  return machine.start(['doctor', '--config', file, ...args], { SVC_SESSION_SECRET: SECRET }).ended;
};
const main = () => ({
  name: 'main',
  endpoint: s3.url,
  credentials: { access_key_id: s3.accessKeyId, secret_access_key: s3.secretAccessKey },
});

describe('svc doctor', () => {
  it('prints a line for each thing and ends with 0, then a document for scripts and 1 when something failed', async () => {
    const well = await doctor([main()], '--write', 'main/files');
    expect([well.status, well.stderr]).toEqual([0, '']);
    expect(well.stdout).toMatch(
      /^warning {2}session store: .*memory.*\nok {7}storage main: .* lists 1 bucket within \d+ ms\nok {7}storage main: `files` can be listed\n/m,
    );
    const ill = await doctor(
      [
        main(),
        {
          name: 'gone',
          endpoint: 'http://127.0.0.1:1',
          credentials: { access_key_id: 'a', secret_access_key: 'canary-secret' },
        },
      ],
      '--json',
    );
    expect(ill.status).toBe(1);
    expect(JSON.parse(ill.stdout)).toEqual({
      findings: expect.arrayContaining([
        { state: 'failed', what: 'storage gone', text: expect.stringMatching(/check that it runs, and `endpoint`/) },
        { state: 'ok', what: 'storage main', text: '`files` can be listed' },
      ]),
    });
    expect(ill.stdout + ill.stderr).not.toContain('canary');
  });

  it('says where in the file a warning of the configuration is about', async () => {
    await writeFile(file, 'state: { path: state.db }\nauth: { enabled: false }\nproviders: []\n');
    const { stdout } = await machine.svc('doctor', '--config', file);
    expect(stdout).toContain(`warning  configuration: ${file}:3: providers: no storage provider is configured`);
  });

  it('refuses a fault of the configuration and a place to write to that is none, with 2', async () => {
    expect(await doctor([{ name: 'main', endpoint: 'ftp://x' }])).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringMatching(/providers\.0\.endpoint: must be a URL/),
    });
    for (const [place, message] of [
      ['main', 'takes PROVIDER/BUCKET'],
      ['main/files/key', 'takes PROVIDER/BUCKET'],
      ['other/files', 'no provider is named `other`'],
    ] as const) {
      expect([place, await doctor([main()], '--write', place)]).toEqual([
        place,
        { status: 2, stdout: '', stderr: expect.stringContaining(message) },
      ]);
    }
  });
});
