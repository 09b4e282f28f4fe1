import { expect, it } from '@jest/globals';
import { formatDateTime, formatExactTime, formatSecond } from '../../../src/web/format/format.ts';

it.each([formatDateTime, formatSecond, formatExactTime])('%p ends no line before AM or PM', (format) => {
  expect(format('2026-11-30T04:07:20Z')).not.toMatch(/ [AP]M/i);
});
