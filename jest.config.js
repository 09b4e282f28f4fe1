import { availableParallelism } from 'node:os';

// What a test starts as a process is compiled once for all of them.
process.env['NODE_COMPILE_CACHE'] ??= new URL('.cache/compile', import.meta.url).pathname;

const swc = {
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
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  testEnvironment: 'node',
  // What is built there has a `package.json` too.
  modulePathIgnorePatterns: ['<rootDir>/.cache/'],
};

export default {
  projects: [
    {
      ...swc,
      displayName: 'core',
      testMatch: ['<rootDir>/tests/**/*.test.ts'],
      testPathIgnorePatterns: ['/tests/e2e/', '/tests/system/'],
    },
    { ...swc, displayName: 'system', testMatch: ['<rootDir>/tests/system/**/*.test.ts'] },
  ],
  reporters: ['default', '<rootDir>/tests/support/jest-reporter.ts'],
  testTimeout: 90_000,
  // Tests wait for a third of their time and more: for timers, processes and servers. Three workers keep two cores busy.
  maxWorkers: availableParallelism() + 1,
};
