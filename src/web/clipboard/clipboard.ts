/** Copies a text to the clipboard. Browsers allow it on secure pages only, and may refuse it. @returns whether it was copied. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
