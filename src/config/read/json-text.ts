/** The tokens of a valid JSON text that matter for its members: strings and punctuation. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:,]/g;

/**
 * Parses JSON, and refuses an object with a repeated member, because parsers differ in which of the two they use.
 *
 * @throws {SyntaxError} whose message does not repeat the text, except the name of a repeated member.
 */
export function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new SyntaxError('is not JSON');
  }
  const repeated = repeatedMember(text);
  if (repeated !== undefined) throw new SyntaxError(`has the member \`${repeated}\` twice in one object`);
  return value;
}

/** @param text - valid JSON. */
function repeatedMember(text: string): string | undefined {
  const open: (Set<string> | undefined)[] = [];
  let last = '';
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '{') open.push(new Set());
    else if (token === '[') open.push(undefined);
    else if (token === '}' || token === ']') open.pop();
    else if (token === ':') {
      const name = JSON.parse(last) as string;
      const names = open.at(-1);
      if (names?.has(name) === true) return name;
      names?.add(name);
    } else if (token !== ',') last = token;
  }
  return undefined;
}
