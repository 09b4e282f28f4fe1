/** Opens a page in the system's browser. Whether one came up cannot be told, so the address is always printed as well. */
export async function openBrowser(url: string): Promise<void> {
  try {
    const { default: open } = await import('open');
    const child = await open(url);
    child.once('error', () => undefined);
    child.unref();
  } catch {
    // A machine without a browser: the printed address is the way.
  }
}
