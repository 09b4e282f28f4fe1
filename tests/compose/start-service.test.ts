import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { startService } from '../../src/compose/start-service.ts';
import { createLogger } from '../../src/log/logger.ts';
import { WrittenConfig } from '../config/written-config.ts';

const config = new WrittenConfig();
afterAll(() => config.remove());

const SECRET = 'a secret of the tests, which is long enough';

it('startService closes the parts that opened when a later part does not open', async () => {
  config.write('audit', 'a file, where a folder should be');
  const { settings } = config.load(
    {
      server: { port: 0 },
      auth: { enabled: false },
      state: { path: 'state.db' },
      audit: { path: 'audit', signing_secret: SECRET },
      providers: [{ name: 'main', endpoint: 'http://127.0.0.1:1' }],
    },
    { SVC_SESSION_SECRET: SECRET },
  );
  const log = createLogger({ level: 'error', format: 'json' });
  await expect(startService(settings!, { log, version: '0.0.0-test', webDirectory: 'dist/web' })).rejects.toThrow(
    expect.objectContaining({ code: 'EEXIST' }),
  );
  expect(existsSync(join(config.directory, 'state.db'))).toBe(true);
  // SQLite removes its log when the last connection closes.
  expect(existsSync(join(config.directory, 'state.db-wal'))).toBe(false);
});
