/** What kind of change a mutant is, the most dangerous first. A survivor of an early kind is a check that could be lost. */
export const KINDS = [
  'throw removed',
  'condition',
  'returned constant',
  'operator',
  'boundary',
  'call removed',
  'await removed',
  'regular expression',
  'literal',
] as const;
export type Kind = (typeof KINDS)[number];

/** One small change of one file: the text from `start` to `end` becomes `replacement`. */
export type Mutant = {
  readonly file: string;
  readonly line: number;
  readonly kind: Kind;
  readonly start: number;
  readonly end: number;
  readonly original: string;
  readonly replacement: string;
};

export const applied = (text: string, { start, end, replacement }: Mutant): string =>
  text.slice(0, start) + replacement + text.slice(end);
