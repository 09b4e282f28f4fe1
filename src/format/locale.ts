const system = new Intl.DateTimeFormat().resolvedOptions().locale;
let locale = localeIn('en');

/** The locale of numbers and dates: the language with the region of the reader. English unless `speak` changed it. */
export function currentLocale(): string {
  return locale;
}

/**
 * Sets the language. Call it before anything is formatted.
 *
 * @param language - such as `de`.
 */
export function speak(language: string): void {
  locale = localeIn(language);
}

/**
 * A language with the dates and numbers of a region: `en-DE` for English in Germany.
 *
 * @param place - a locale; the system's by default.
 */
export function localeIn(language: string, place = system): string {
  const { region } = new Intl.Locale(place).maximize();
  return region === undefined ? language : `${language}-${region}`;
}
