import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe } from '@jest/globals';
import { chromium } from '@playwright/test';
import config from '../../../playwright.config.ts';
import { uploadContract } from '../../transfer/contract.ts';

describe('an upload by routes with a cookie, in a browser', () => {
  const options = { webDirectory: '' };

  beforeAll(async () => {
    options.webDirectory = await mkdtemp(join(tmpdir(), 'svc-page-'));
    await promisify(execFile)(process.execPath, [
      join(import.meta.dirname, '../../transfer/build-page.ts'),
      options.webDirectory,
    ]);
  });
  afterAll(() => rm(options.webDirectory, { recursive: true }));

  uploadContract(async (app, origin) => {
    const visitor = await app.signIn('eve');
    const browser = await chromium.launch(config.use?.launchOptions);
    const context = await browser.newContext();
    await context.addCookies([
      { name: 'svc_session', value: visitor.cookie(origin, 'svc_session') ?? '', url: origin },
    ]);
    return {
      upload: async ({ path, key, whenTaken }) => {
        const page = await context.newPage();
        await page.goto(origin);
        await page.locator('input').setInputFiles(path);
        const ended = page.evaluate(
          (asked) => (globalThis as unknown as { upload(asked: object): Promise<string> }).upload(asked),
          { key, whenTaken },
        );
        ended.catch(() => undefined);
        return { ended, kill: () => page.close() };
      },
      close: () => browser.close(),
    };
  }, options);
});
