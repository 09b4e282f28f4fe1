import { t } from '../words/words.ts';
import type { Place } from './place.ts';

/** The scope of a search: a folder and its subfolders, the whole bucket, or every bucket that the user may see. */
export type Reach = 'folder' | 'bucket' | 'everywhere';

/** A search: the text, the scope and the filters. The filters are the option values of the page, so that a link can contain them. */
export type Question = {
  readonly text: string;
  readonly reach: Reach;
  /** The folder in which the user started the search. */
  readonly from: Place | undefined;
  readonly kind: string | undefined;
  readonly size: string | undefined;
  readonly changed: string | undefined;
  /** The name of a tag, or its name and value with `=` between them; empty for none. */
  readonly tag: string;
};

const DAY_MS = 86_400_000;
const MB = 1_000_000;

/** The options of the size filter, with limits in bytes. */
export const SIZES: Readonly<Record<string, { readonly label: string; readonly min?: number; readonly max?: number }>> =
  {
    small: { label: t('Under 1 MB'), max: MB },
    medium: { label: t('Over 1 MB'), min: MB },
    large: { label: t('Over 100 MB'), min: 100 * MB },
    huge: { label: t('Over 1 GB'), min: 1_000 * MB },
  };

/** The options of the age filter, with limits of the time since the last change in milliseconds. */
export const AGES: Readonly<
  Record<string, { readonly label: string; readonly within?: number; readonly longerThan?: number }>
> = {
  day: { label: t('In the last 24 hours'), within: DAY_MS },
  week: { label: t('In the last 7 days'), within: 7 * DAY_MS },
  month: { label: t('In the last 30 days'), within: 30 * DAY_MS },
  year: { label: t('In the last year'), within: 365 * DAY_MS },
  older: { label: t('More than a year ago'), longerThan: 365 * DAY_MS },
};

/** The in-app link to the results of a search. */
export function searchLink({ text, reach, from, kind, size, changed, tag }: Question): string {
  const members = {
    q: text,
    in: reach,
    provider: from?.provider,
    bucket: from?.bucket,
    prefix: from?.prefix,
    kind,
    size,
    changed,
    tag,
  };
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(members)) if (value !== undefined && value !== '') search.set(name, value);
  return `/search?${search.toString()}`;
}

/** The in-app link to a search that starts in a place, without filters. */
export function searchFrom(from: Place | undefined, text = ''): string {
  return searchLink({
    text,
    from,
    reach: from === undefined ? 'everywhere' : 'folder',
    kind: undefined,
    size: undefined,
    changed: undefined,
    tag: '',
  });
}

/** The search of an in-app link. */
export const questionIn = (link: string): Question => questionOf(new URLSearchParams(link.slice(link.indexOf('?'))));

export function questionOf(search: URLSearchParams): Question {
  const [provider, bucket, reach] = [search.get('provider'), search.get('bucket'), search.get('in')];
  const from =
    provider === null || bucket === null ? undefined : { provider, bucket, prefix: search.get('prefix') ?? '' };
  return {
    text: search.get('q') ?? '',
    reach:
      from === undefined || reach === 'everywhere'
        ? 'everywhere'
        : reach === 'bucket' || from.prefix === ''
          ? 'bucket'
          : 'folder',
    from,
    kind: search.get('kind') ?? undefined,
    size: search.get('size') ?? undefined,
    changed: search.get('changed') ?? undefined,
    tag: search.get('tag') ?? '',
  };
}

/** Whether the search has a text or a filter. */
export function isAsked({ text, kind, size, changed, tag }: Question): boolean {
  return text !== '' || kind !== undefined || size !== undefined || changed !== undefined || tag !== '';
}

/** The query parameters of a search request, except for the place. @param now - milliseconds since the epoch. */
export function queryOf(
  { text, kind, size, changed, tag }: Question,
  now: number,
): Readonly<Record<string, string | number>> {
  const { min, max } = SIZES[size ?? ''] ?? {};
  const { within, longerThan } = AGES[changed ?? ''] ?? {};
  return {
    ...(text !== '' && { q: text, folders: 'true' }),
    ...(kind !== undefined && { kind }),
    ...(min !== undefined && { min_size: min }),
    ...(max !== undefined && { max_size: max }),
    ...(within !== undefined && { after: new Date(now - within).toISOString() }),
    ...(longerThan !== undefined && { before: new Date(now - longerThan).toISOString() }),
    ...(tag !== '' && { tag }),
  };
}
