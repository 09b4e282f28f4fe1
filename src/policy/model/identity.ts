/** Who a caller is, as verified at sign-in. `issuer` is a URL, `subject` the value of the subject claim. */
export type Identity = {
  readonly issuer: string;
  readonly subject: string;
  readonly groups: readonly string[];
};
