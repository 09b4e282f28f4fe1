import { closest, distance } from 'fastest-levenshtein';

/** `; did you mean \`x\`?` when one of the known names is near, else nothing. */
export function didYouMean(name: string, known: readonly string[]): string {
  if (known.length === 0) return '';
  const nearest = closest(name, known);
  return distance(name, nearest) <= Math.max(2, Math.floor(nearest.length / 3)) ? `; did you mean \`${nearest}\`?` : '';
}
