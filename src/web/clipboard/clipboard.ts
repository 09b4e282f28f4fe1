/** Copies a text, and tells whether that worked: browsers have a clipboard on secure pages only, and may refuse. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
