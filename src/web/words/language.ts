import { speak } from '../../format/locale.ts';

export type Language = 'en' | 'de';

/** The available languages, each with its own name. */
export const languages: readonly (readonly [Language, string])[] = [
  ['en', 'English'],
  ['de', 'Deutsch'],
];

const KEPT = 'svc-language';

/** The language of the page: the user's choice, or the first available language of the browser. It does not change until the page is reloaded. */
export const language: Language = [kept(), ...navigator.languages].map(baseOf).find(isLanguage) ?? 'en';

speak(language);

/** Stores the choice in the browser, and reloads the page in that language. */
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
