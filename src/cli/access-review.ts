import { once } from 'node:events';
import { reviewAccess, reviewedPlaces, type ReviewedLine, type ReviewedPlace } from '../policy/review.ts';
import type { LoadedPolicies } from './configured-policies.ts';
import { csvCells } from './csv.ts';
import { ReviewPage } from './review-html.ts';
import { COLUMNS, ReviewRows } from './review-row.ts';

/** Everything that a review of a configuration is about. */
export function reviewOf({ definition, buckets, signIn }: LoadedPolicies, places: readonly ReviewedPlace[] = reviewedPlaces(definition, buckets)): Generator<ReviewedLine, void, void> {
  return reviewAccess(signIn ? definition : { ...definition, enabled: false }, places);
}

/** Writes a review as fast as it is taken. @returns how many lines it has. */
export async function writeReview(loaded: LoadedPolicies, { config, format, owner }: { readonly config: string; readonly format: 'csv' | 'html'; readonly owner?: string }, to: NodeJS.WritableStream): Promise<number> {
  const write = async (text: string): Promise<void> => {
    if (!to.write(text)) await once(to as NodeJS.WritableStream & NodeJS.EventEmitter, 'drain');
  };
  const rows = new ReviewRows(loaded);
  const page = new ReviewPage();
  let count = 0;
  await write(format === 'csv' ? csvLine(COLUMNS) : page.head({ Configuration: config, Day: new Date().toISOString().slice(0, 10), ...(owner !== undefined && { Owner: owner }) }));
  for (const line of reviewOf(loaded)) {
    if (owner !== undefined && rows.ownerOf(line) !== owner) continue;
    const row = rows.of(line);
    await write(format === 'csv' ? csvLine(COLUMNS.map((name) => row[name])) : page.row(row));
    count += 1;
  }
  if (format === 'html') await write(page.end());
  return count;
}

const csvLine = (cells: readonly string[]): string => `${csvCells(cells)}\r\n`;
