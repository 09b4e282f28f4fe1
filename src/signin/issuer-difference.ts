/**
 * Says where two issuers differ, for people who see no difference.
 *
 * @example
 * issuerDifference('https://idp.example/a', 'https://idp.example/a/') // 'the provider\'s has `/` more at its end'
 */
export function issuerDifference(configured: string, provided: string): string {
  const ours = Array.from(configured);
  const theirs = Array.from(provided);
  let at = 0;
  while (at < ours.length && ours[at] === theirs[at]) at += 1;
  if (at === ours.length) return `the provider's has ${quote(theirs.slice(at))} more at its end`;
  if (at === theirs.length) return `the configured one has ${quote(ours.slice(at))} more at its end`;
  return `at character ${at + 1} the provider's has ${quote([theirs[at]!])} and the configured one ${quote([ours[at]!])}`;
}

/** Characters that cannot be seen, or not be told apart, are named by number. */
function quote(characters: readonly string[]): string {
  return `\`${characters.map((char) => (/^[\x21-\x7e]$/.test(char) ? char : `U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`)).join('')}\``;
}
