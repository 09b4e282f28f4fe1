/** Who a caller is, as verified at sign-in. `issuer` is an URL, `subject` the value of the subject claim. */
export type Identity = {
  readonly issuer: string;
  readonly subject: string;
  readonly groups: readonly string[];
};
