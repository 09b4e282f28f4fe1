/** Opens a page in the system's browser. It is not known whether that worked, so callers also print the address. */
export async function openBrowser(url: string): Promise<void> {
  try {
    const { default: open } = await import('open');
    const child = await open(url);
    child.once('error', () => undefined);
    child.unref();
  } catch {
    // On a machine without a browser, people use the printed address.
  }
}
