/** The language of all that people read here, written as it is where the reader is. */
export const LOCALE = englishOf(new Intl.DateTimeFormat().resolvedOptions().locale);

/** English with the dates and numbers of a place: `en-DE` for `de`. */
export function englishOf(locale: string): string {
  const { region } = new Intl.Locale(locale).maximize();
  return region === undefined ? 'en' : `en-${region}`;
}
