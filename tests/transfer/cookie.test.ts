import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from '@jest/globals';
import { build } from 'vite';
import { launchBrowser, openPage } from '../support/browser.ts';
import { uploadContract } from './contract.ts';

describe('an upload by routes with a cookie, in a browser', () => {
  const options = { webDirectory: '' };

  beforeAll(async () => {
    options.webDirectory = await mkdtemp(join(tmpdir(), 'svc-page-'));
    await build({
      configFile: false,
      logLevel: 'error',
      build: { outDir: join(options.webDirectory, 'assets'), lib: { entry: join(import.meta.dirname, 'page.ts'), formats: ['es'], fileName: () => 'page.js' } },
    });
    await writeFile(join(options.webDirectory, 'index.html'), '<!doctype html><html lang="en"><head></head><input type="file"><script type="module" src="./assets/page.js"></script></html>');
  });
  afterAll(() => rm(options.webDirectory, { recursive: true }));

  uploadContract(async (app, origin) => {
    const visitor = await app.signIn('eve');
    const browser = await launchBrowser();
    const context = (await openPage(browser)).context();
    await context.addCookies([{ name: 'svc_session', value: visitor.cookie(origin, 'svc_session') ?? '', url: origin }]);
    return {
      upload: async ({ path, key, whenTaken }) => {
        const page = await context.newPage();
        await page.goto(origin);
        await page.locator('input').setInputFiles(path);
        const ended = page.evaluate((asked) => (globalThis as unknown as { upload(asked: object): Promise<string> }).upload(asked), { key, whenTaken });
        ended.catch(() => undefined);
        return { ended, kill: () => page.close() };
      },
      close: () => browser.close(),
    };
  }, options);
});
