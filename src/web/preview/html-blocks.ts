/** Deeper elements are drawn like their parent. Code that people write has less than ten. */
const MOST_DEPTH = 20;
/** A start tag, an end tag, a character reference, or text without these. */
const TOKEN = /<span[^>]*>|<\/span>|&[^;]*;|[^<&]+/g;

/**
 * Splits the HTML of highlighted text, which has only `span` elements, at positions of the text. Elements that
 * continue are opened again.
 */
export function blocksOfHtml(html: string, ends: readonly number[]): readonly string[] {
  const blocks: string[] = [];
  const open: string[] = [];
  let depth = 0;
  let block = '';
  let at = 0;
  for (const [token] of html.matchAll(TOKEN)) {
    if (token === '</span>') {
      if (depth <= MOST_DEPTH) {
        block += token;
        open.pop();
      }
      depth -= 1;
    } else if (token.startsWith('<')) {
      depth += 1;
      if (depth > MOST_DEPTH) continue;
      block += token;
      open.push(token);
    } else {
      const length = token.startsWith('&') ? 1 : token.length;
      let from = 0;
      for (let end = ends[blocks.length]; end !== undefined && end < at + length; end = ends[blocks.length]) {
        blocks.push(block + token.slice(from, end - at) + '</span>'.repeat(open.length));
        block = open.join('');
        from = end - at;
      }
      block += from === 0 ? token : token.slice(from);
      at += length;
    }
  }
  return [...blocks, block];
}
