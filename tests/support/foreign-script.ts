import type { Page } from '@playwright/test';

/** A script in an object, which must not run on a page of the service. */
export const SCRIPT = "globalThis.ran = true; document.title = 'ran'; parent.ran = true;";

/** Whether it has run anywhere on the page. */
export async function hasRun(page: Page): Promise<boolean> {
  const inFrames = await Promise.all(
    page.frames().map((frame) => frame.evaluate(() => 'ran' in globalThis).catch(() => false)),
  );
  return inFrames.some((ran) => ran) || (await page.title()) === 'ran';
}
