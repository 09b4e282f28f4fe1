/** Transfers under way, at the bottom right of every page. */
export function Tray() {
  return null;
}
