/** The path to return to after sign-in: `value` when it is a safe relative path, else `/`. */
export function safeReturnPath(_value: string | undefined): string {
  throw new Error('not built yet');
}
