import { describe, expect, it } from '@jest/globals';
import { createLogger, type LogLevel } from '../../src/log/logger.ts';
import { collector } from '../support/logged.ts';

describe('a line whose level is not logged', () => {
  it.each([
    ['error', ['error']],
    ['info', ['error', 'warn', 'info']],
    ['silent', []],
  ] as const)('is not made at level %s', (level, written) => {
    const log = createLogger({ level, format: 'json', stream: collector().stream });
    const made: LogLevel[] = [];
    for (const each of ['error', 'warn', 'info', 'debug'] as const)
      log[each]('a line', {
        get field() {
          made.push(each);
          return 1;
        },
      });
    expect(made).toEqual(written);
  });
});
