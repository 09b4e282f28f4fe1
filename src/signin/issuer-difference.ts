/**
 * Describes where two issuers differ, for people who see no difference.
 *
 * @example
 * issuerDifference('https://idp.example/a', 'https://idp.example/a/') // 'the provider\'s issuer has an additional `/` at its end'
 */
export function issuerDifference(configured: string, provided: string): string {
  const ours = Array.from(configured);
  const theirs = Array.from(provided);
  let at = 0;
  while (at < ours.length && ours[at] === theirs[at]) at += 1;
  if (at === ours.length) return `the provider's issuer has an additional ${quote(theirs.slice(at))} at its end`;
  if (at === theirs.length) return `the configured issuer has an additional ${quote(ours.slice(at))} at its end`;
  return `at character ${at + 1} the provider's issuer has ${quote([theirs[at]!])} and the configured one ${quote([ours[at]!])}`;
}

/** Names characters that are invisible or easily confused by their code point. */
function quote(characters: readonly string[]): string {
  return `\`${characters.map((char) => (/^[\x21-\x7e]$/.test(char) ? char : `U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`)).join('')}\``;
}
