import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { HOSTILE, hostileConfig } from '../cli/hostile-review.ts';
import { expectGoodScreen } from './views.ts';

test('the page of `svc access review` is good to read and to print, holds hostile names as text, and asks for nothing', async ({
  page,
}) => {
  const directory = mkdtempSync(join(tmpdir(), 'svc-review-'));
  try {
    writeFileSync(join(directory, 'svc.config.yaml'), hostileConfig());
    const html = execFileSync(
      process.execPath,
      [join(import.meta.dirname, '../../bin/svc.js'), 'access', 'review', '--format', 'html'],
      { cwd: directory },
    );
    const file = join(directory, 'review.html');
    writeFileSync(file, html);
    const asked: string[] = [];
    const said: string[] = [];
    page.on('request', (request) => void asked.push(request.url()));
    page.on('dialog', (dialog) => void said.push(dialog.message()));
    await page.goto(`file://${file}`);
    await expect(page.getByRole('rowheader')).toHaveCount(HOSTILE.length);
    await expect(page.getByRole('rowheader', { name: '<script>alert(1)</script>' })).toBeVisible();
    await expect(page.getByText('Owner: =HYPERLINK')).toBeVisible();
    await expectGoodScreen(page, 'access review', page.getByRole('heading', { name: 'main/box' }));
    await page.emulateMedia({ media: 'print' });
    expect((await page.pdf({ format: 'A4' })).length).toBeGreaterThan(10_000);
    expect([asked.filter((url) => !url.startsWith('file:')), said]).toEqual([[], []]);
  } finally {
    rmSync(directory, { recursive: true });
  }
});
