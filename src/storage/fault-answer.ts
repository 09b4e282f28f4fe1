/** Reads the HTTP answer behind a fault of the SDK. */
type FaultAnswer = {
  readonly Region?: unknown;
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly $response?: { readonly headers?: Readonly<Record<string, string | undefined>> };
};

/** Statuses that proxies send themselves. They have a meaning of their own, whatever the body is. */
const MEANT_STATUSES: readonly number[] = [408, 412, 413, 416, 429];

/** The right region, when storage refuses the configured one and names it. */
export function expectedRegion(fault: object, name: string): string | undefined {
  const { Region, $metadata, $response }: FaultAnswer = fault;
  const status = $metadata?.httpStatusCode;
  // The answer to a HEAD has no body, so it does not name its fault.
  const isUnnamed = name === 'Unknown' && (status === 301 || status === 400);
  if (!isUnnamed && !['PermanentRedirect', 'AuthorizationHeaderMalformed', 'IllegalLocationConstraintException'].includes(name)) return undefined;
  const region = Region ?? $response?.headers?.['x-amz-bucket-region'];
  return typeof region === 'string' && /^[a-z0-9-]{1,40}$/i.test(region) ? region : undefined;
}

/** Describes an answer that does not come from S3, such as `404, text/html` from a web page or another service. */
export function foreignAnswer(fault: object): string | undefined {
  const { $metadata, $response }: FaultAnswer = fault;
  const status = $metadata?.httpStatusCode;
  const type = /^(?:text\/html|text\/plain|application\/json)/.exec($response?.headers?.['content-type'] ?? '')?.[0];
  return type === undefined || status === undefined || status >= 500 || MEANT_STATUSES.includes(status) ? undefined : `${status}, ${type}`;
}
