import { currentLocale } from '../../format/locale.ts';
import type { Catalogue } from './catalogue.ts';
import { language } from './language.ts';

/** The names of the placeholders in a message. */
export type NamesIn<Message extends string> = Message extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;
export type Values<Message extends string, Value> =
  NamesIn<Message> extends never ? [] : [values: Readonly<Record<NamesIn<Message>, Value>>];

let catalogue: Catalogue = {};
const plurals = new Intl.PluralRules(language);
const numbers = new Intl.NumberFormat(currentLocale());

/** Loads the messages in the language of the page. If they cannot be loaded, the page is in English. */
export async function loadWords(): Promise<void> {
  if (language === 'de') catalogue = await import('./de/de.ts').then(({ german }) => german).catch(() => ({}));
}

/** A message in the language of the page. @param message - the English message, with placeholders such as `{name}`. @param values - numbers are formatted for the language. */
export function t<Message extends string>(message: Message, ...[values]: Values<Message, string | number>): string {
  return filled(translated(message), values);
}

/** A message with a count: `plural(3, '{count} item', '{count} items')`. */
export function plural<Other extends string>(
  count: number,
  one: string,
  other: Other,
  ...[values]: Exclude<NamesIn<Other>, 'count'> extends never
    ? []
    : [values: Readonly<Record<Exclude<NamesIn<Other>, 'count'>, string | number>>]
): string {
  const forms = catalogue[other] ?? { one, other };
  const form = typeof forms === 'string' ? forms : (forms[plurals.select(count)] ?? forms.other);
  return filled(form, { count, ...(values as Readonly<Record<string, string | number>> | undefined) });
}

/** The translated message, split at its placeholders: texts and placeholder names alternate, starting with a text. */
export function piecesOf(message: string): readonly string[] {
  return translated(message).split(/\{(\w+)\}/);
}

/** A number in the format of the language, such as `1,234,567`. */
export function formatNumber(value: number): string {
  return numbers.format(value);
}

/** The translated meaning of a problem code of the service, or undefined if the page is in English. */
export function meaningOf(code: string): string | undefined {
  const found = catalogue[`problem ${code}`];
  return typeof found === 'string' ? found : undefined;
}

function translated(message: string): string {
  const found = catalogue[message];
  return typeof found === 'string' ? found : message;
}

function filled(message: string, values: Readonly<Record<string, string | number>> | undefined): string {
  return values === undefined
    ? message
    : message.replaceAll(/\{(\w+)\}/g, (whole, name: string) => written(values[name]) ?? whole);
}

function written(value: string | number | undefined): string | undefined {
  return typeof value === 'number' ? formatNumber(value) : value;
}
