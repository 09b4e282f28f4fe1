/** The caller's API keys. Loaded when it is first needed. */
export function KeysPage() {
  return null;
}
