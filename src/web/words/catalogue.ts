/** The messages of a language, by the English message. A message with a count has a form for each plural category of the language. */
export type Catalogue = Readonly<Record<string, string | Forms>>;

type Forms = { readonly other: string } & { readonly [rule in Intl.LDMLPluralRule]?: string };
