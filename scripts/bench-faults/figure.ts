/** What was measured, beside what it must be. */
export type Figure = {
  readonly what: string;
  readonly value: string;
  readonly limit: string;
  readonly reached: boolean;
};

export function atMost(what: string, value: number, limit: number, unit: string): Figure {
  const digits = Math.abs(value) < 10 && !Number.isInteger(value) ? 1 : 0;
  return {
    what,
    value: `${value.toFixed(digits)} ${unit}`,
    limit: `at most ${limit} ${unit}`,
    reached: value <= limit,
  };
}

export function exactly(what: string, value: number | string, expected: number | string): Figure {
  return {
    what,
    value: value.toLocaleString('en'),
    limit: `exactly ${expected.toLocaleString('en')}`,
    reached: value === expected,
  };
}
