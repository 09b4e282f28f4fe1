const system = new Intl.DateTimeFormat().resolvedOptions().locale;
let locale = localeIn('en');

/** The locale of numbers and dates: a language, written as it is where the reader is. English unless `speak` said otherwise. */
export function currentLocale(): string {
  return locale;
}

/** To be called before anything is formatted. @param language - such as `de`. */
export function speak(language: string): void {
  locale = localeIn(language);
}

/** A language with the dates and numbers of a place: `en-DE` for English in `de`. @param place - a locale; that of the system by default. */
export function localeIn(language: string, place = system): string {
  const { region } = new Intl.Locale(place).maximize();
  return region === undefined ? language : `${language}-${region}`;
}
