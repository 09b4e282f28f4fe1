let spoken = 'en';
let locale: string | undefined;

/** The locale of numbers and dates: the language with the region of the reader. English unless `speak` changed it. */
export function currentLocale(): string {
  // Only when it is needed: to ask the system takes as long as the rest of the start of a command.
  return (locale ??= localeIn(spoken));
}

/**
 * Sets the language. Call it before anything is formatted.
 *
 * @param language - such as `de`.
 */
export function speak(language: string): void {
  spoken = language;
  locale = undefined;
}

/**
 * A language with the dates and numbers of a region: `en-DE` for English in Germany.
 *
 * @param place - a locale; the system's by default.
 */
export function localeIn(language: string, place = new Intl.DateTimeFormat().resolvedOptions().locale): string {
  const { region } = new Intl.Locale(place).maximize();
  return region === undefined ? language : `${language}-${region}`;
}
