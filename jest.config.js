import { availableParallelism } from 'node:os';

// What a test starts as a process is compiled once for all of them.
process.env['NODE_COMPILE_CACHE'] ??= new URL('.cache/compile', import.meta.url).pathname;

const files = {
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  testEnvironment: 'node',
  // What is built there has a `package.json` too.
  modulePathIgnorePatterns: ['<rootDir>/.cache/'],
};
const apart = {
  ...files,
  transform: {
    '^.+\\.tsx?$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2024',
          parser: { syntax: 'typescript', tsx: true },
          experimental: { keepImportAttributes: true },
        },
        module: { type: 'es6' },
      },
    ],
  },
};

/** Core tests that cannot share a process: they stop its timers, give it the document of a page, or change its user. */
const APART = [
  'access/credential-watch',
  'config/substitute',
  'session/sessions',
  'state/last-use',
  'web/actions/copy-objects',
  'web/api/lines',
  'web/palette/address',
  'web/preview/object-bytes',
].map((name) => `<rootDir>/tests/${name}.test.ts`);

export default {
  projects: [
    {
      ...files,
      displayName: 'core',
      // Many files share a process, so that the service is loaded once for all of them.
      runner: 'jest-light-runner',
      setupFiles: ['<rootDir>/tests/support/jest-globals.ts'],
      testMatch: ['<rootDir>/tests/**/*.test.ts'],
      testPathIgnorePatterns: ['/tests/e2e/', '/tests/system/', ...APART],
    },
    { ...apart, displayName: 'apart', testMatch: APART },
    { ...apart, displayName: 'system', testMatch: ['<rootDir>/tests/system/**/*.test.ts'] },
  ],
  reporters: ['default', '<rootDir>/tests/support/jest-reporter.ts'],
  testTimeout: 180_000,
  // Tests wait for a third of their time and more: for timers, processes and servers. Three workers keep two cores busy.
  maxWorkers: availableParallelism() + 1,
};
