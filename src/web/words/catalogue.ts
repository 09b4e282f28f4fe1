/** The messages of a language by their English ones. A message with a count has a form for each plural that the language knows. */
export type Catalogue = Readonly<Record<string, string | Forms>>;

type Forms = { readonly other: string } & { readonly [rule in Intl.LDMLPluralRule]?: string };
