import { existsSync } from 'node:fs';

/** Has its viewer of PDFs, notifications and windows. */
export const WHOLE_BROWSER = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';

/** Draws the same pages with two thirds of the work. Undefined where there is no browser. */
export const BROWSER =
  process.env['CHROMIUM_PATH'] ?? ['/usr/bin/chromium-headless-shell', WHOLE_BROWSER].find((path) => existsSync(path));
