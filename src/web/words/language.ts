import { speak } from '../../transfer/locale.ts';

export type Language = 'en' | 'de';

/** The languages of the page, each by its own name. */
export const languages: readonly (readonly [Language, string])[] = [
  ['en', 'English'],
  ['de', 'Deutsch'],
];

const KEPT = 'svc-language';

/** The language of this page: the chosen one, else the first of the browser's that it has. It stays until the page is opened again. */
export const language: Language = [kept(), ...navigator.languages].map(baseOf).find(isLanguage) ?? 'en';

speak(language);

/** Keeps the choice for this browser, and opens the page again in that language. */
export function chooseLanguage(chosen: Language): void {
  try {
    localStorage.setItem(KEPT, chosen);
  } catch {
    return;
  }
  window.location.reload();
}

function kept(): string | null {
  try {
    return localStorage.getItem(KEPT);
  } catch {
    return null;
  }
}

function baseOf(tag: string | null): string {
  return (tag ?? '').split('-', 1)[0]!.toLowerCase();
}

function isLanguage(value: string): value is Language {
  return languages.some(([known]) => known === value);
}
