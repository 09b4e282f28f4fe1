/** Copies a part of a longer text. Otherwise V8 keeps the whole longer text, for example a page of a listing, as long as the part is kept. */
export function copyString(text: string): string {
  return Buffer.from(text).toString();
}
