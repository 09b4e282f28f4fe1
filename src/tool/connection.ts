/** What a tool needs to know to reach the S3 endpoint with a key. */
export type Connection = {
  /** Scheme, host and port of the endpoint. */
  readonly endpoint: string;
  readonly region: string;
  readonly provider: string;
  readonly accessKeyId: string;
  /** Undefined for a configuration without the secret: {@link NO_SECRET} is in its place. */
  readonly secretAccessKey: string | undefined;
  /** The bucket that the key is for, or an empty string for all of the provider. */
  readonly bucket: string;
  /** The start of the keys that the key is for, or an empty string. */
  readonly prefix: string;
};

/** The text in the place of a secret that is left out. */
export const NO_SECRET = 'SECRET_ACCESS_KEY';
