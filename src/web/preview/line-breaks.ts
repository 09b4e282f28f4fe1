/** The browser takes quadratic time to find the ends of lines in a longer text. */
const MOST_CHARACTERS = 1_000;
/** A tag, or text up to a space that is as long as possible, or text without a space. A character reference is not split. */
const TOKEN = new RegExp(
  String.raw`<[^>]*>|(?:&\w+;|[^<&]){0,${MOST_CHARACTERS - 1}}\s|(?:&\w+;|[^<&]){1,${MOST_CHARACTERS}}`,
  'gu',
);

/** Adds `<wbr>` to HTML, so that no text is long without a place where a line may end. Most of them follow a space. */
export function withBreaks(html: string): string {
  let length = 0;
  return html.replace(TOKEN, (token) => {
    if (token.startsWith('<') || token.trim() === '') return token;
    length += token.length;
    if (length <= MOST_CHARACTERS) return token;
    length = token.length;
    return `<wbr>${token}`;
  });
}
