import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from '@playwright/test';
import { BROWSER, WHOLE_BROWSER } from './tests/support/browser-path.ts';

// What a test starts as a process is compiled once for all of them.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '.cache/compile');

const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** For the tests of what only the whole browser has: its viewer of PDFs, and notifications. */
export const wholeBrowser = { launchOptions: { executablePath: WHOLE_BROWSER, args: ARGS } };

/** The browser suite. A test that fails is not tried again: one that fails now and then has a fault, or shows one. */
export default defineConfig({
  testDir: 'tests/e2e',
  projects: [
    // One worker: each starts a demo and a browser of its own, and `npm test` keeps the processors busy meanwhile.
    { name: 'core', grep: /@core/, workers: 1 },
    { name: 'system', grepInvert: /@core/ },
  ],
  outputDir: '.cache/browser-tests',
  workers: Math.max(2, availableParallelism()),
  forbidOnly: process.env['CI'] !== undefined,
  timeout: 180_000,
  expect: { timeout: 30_000 },
  reporter: [['list'], ['./tests/support/browser-reporter.ts']],
  reportSlowTests: null,
  use: {
    launchOptions: { executablePath: BROWSER ?? WHOLE_BROWSER, args: ARGS },
    viewport: { width: 1280, height: 800 },
    locale: 'en-GB',
    timezoneId: 'UTC',
    actionTimeout: 30_000,
    navigationTimeout: 30_000,
    trace: { mode: 'retain-on-failure', screenshots: false },
  },
});
