import { defineConfig } from '@playwright/test';

/** The browser suite. A test that fails is not tried again: one that fails now and then has a fault, or shows one. */
export default defineConfig({
  testDir: 'tests/e2e',
  testMatch: /(admin)\.test\.ts/,
  outputDir: '.cache/browser-tests',
  workers: 2,
  forbidOnly: process.env['CI'] !== undefined,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  reporter: [['list'], ['./tests/support/browser-reporter.ts']],
  reportSlowTests: null,
  use: {
    launchOptions: {
      executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
    },
    viewport: { width: 1280, height: 800 },
    locale: 'en-GB',
    timezoneId: 'UTC',
    actionTimeout: 15_000,
    navigationTimeout: 30_000,
    trace: { mode: 'retain-on-failure', screenshots: false },
  },
});
