/** A copy of a text that came out of a longer one. V8 keeps the whole of that, a page of a listing for example, as long as a part of it is kept. */
export function ownText(text: string): string {
  return Buffer.from(text).toString();
}
