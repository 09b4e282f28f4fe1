/** For an option that may be repeated: its values in order. */
export function gathered(value: string, before: readonly string[] | undefined): string[] {
  return [...(before ?? []), value];
}
