/** Collects the values of an option that may be repeated, in order. */
export function gathered(value: string, before: readonly string[] | undefined): string[] {
  return [...(before ?? []), value];
}
