import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { Machine } from '../../cli/svc-process.ts';

let app: TestApp;
let machine: Machine;

beforeAll(async () => {
  app = await startApp({ config: (config) => ({ ...config, auth: { enabled: false } }) });
  machine = await Machine.make();
});
afterAll(async () => {
  await machine.remove();
  await app.close();
});

describe('svc rb --force', () => {
  it('does not advise itself when the storage keeps earlier versions', async () => {
    app.storageCalls.spoil = (call) =>
      /^DELETE \/files\/?(?:\?|$)/.test(call) ? { status: 409, code: 'BucketNotEmpty' } : undefined;
    const { status, stderr } = await machine.svc('rb', '--force', 'main/files', '--server', app.origin);
    expect(status).toBe(1);
    expect(stderr).toMatch(/earlier versions of its objects, or unfinished uploads.*with a tool of the storage/);
    expect(stderr).not.toContain('--force');
  });
});
