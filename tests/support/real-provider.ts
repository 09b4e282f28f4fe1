/** An identity provider of another make, with one client and one person. */
export type RealProvider = {
  readonly issuer: string;
  readonly clientSecret: string;
  readonly scopes: readonly string[];
  readonly person: {
    readonly subject: string;
    readonly groups: readonly string[];
    readonly username: string;
    readonly password: string;
  };
  /** What the browser's visit to an authorization URL ends in when the person signs in: the callback URL. */
  visit(authorizationUrl: string): Promise<string>;
  close(): Promise<void>;
};

/** Holds every character that clients and providers encode differently. */
export const AWKWARD_SECRET = 's-ecret_with.dots~and-hyphens_0123456789';
