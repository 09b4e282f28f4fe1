import { expect, type Page } from '@playwright/test';
import { wholeBrowser } from '../../playwright.config.ts';
import { pdf } from '../../scripts/demo/samples/pdf.ts';
import { hasRun, SCRIPT } from '../support/foreign-script.ts';
import { test } from './fixtures.ts';

test.use(wholeBrowser);

const frame = (page: Page) => page.getByRole('region', { name: 'Preview' }).locator('iframe');

/** The browser's own viewer has taken what is in the frame. */
async function expectViewer(page: Page): Promise<void> {
  await expect.poll(() => page.frames().some((one) => one.url().startsWith('chrome-extension:'))).toBe(true);
}

test.describe('the preview of a PDF', () => {
  test('is in the viewer of the browser', async ({ app, bucket, files, openAs, page }) => {
    await files.put('report.pdf', new Uint8Array(pdf([{ heading: 'Report', lines: ['one'] }])), 'application/pdf');
    await openAs('vic', `${app.origin}/p/main/${bucket}?object=report.pdf`);
    await expect(frame(page)).toBeVisible();
    await expect(frame(page)).toHaveAttribute('title', 'Preview of report.pdf');
    await expect(frame(page)).toHaveAttribute('src', /^blob:/);
    await expectViewer(page);
  });

  test('never makes a page of this origin of what only claims to be one', async ({
    app,
    bucket,
    files,
    openAs,
    page,
  }) => {
    await files.put('fake.pdf', `<html><script>${SCRIPT}</script></html>`, 'text/html');
    await openAs('vic', `${app.origin}/p/main/${bucket}?object=fake.pdf`);
    await expect(frame(page)).toBeVisible();
    await expectViewer(page);
    expect(await hasRun(page)).toBe(false);
  });
});
