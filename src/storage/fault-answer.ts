/** What can be read of the answer that the SDK made a fault of. */
type FaultAnswer = {
  readonly Region?: unknown;
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly $response?: { readonly headers?: Readonly<Record<string, string | undefined>> };
};

/** A proxy's own: these say something whatever their body is. */
const MEANT_STATUSES: readonly number[] = [408, 412, 413, 416, 429];

/** The region that storage says is right, where that is what it refuses. */
export function expectedRegion(fault: object, name: string): string | undefined {
  const { Region, $metadata, $response }: FaultAnswer = fault;
  const status = $metadata?.httpStatusCode;
  // The answer to a HEAD names its fault nowhere.
  const isUnnamed = name === 'Unknown' && (status === 301 || status === 400);
  if (!isUnnamed && !['PermanentRedirect', 'AuthorizationHeaderMalformed', 'IllegalLocationConstraintException'].includes(name)) return undefined;
  const region = Region ?? $response?.headers?.['x-amz-bucket-region'];
  return typeof region === 'string' && /^[a-z0-9-]{1,40}$/i.test(region) ? region : undefined;
}

/** How something that is no S3 answered, such as `404, text/html`: a web page, or the face of another service. */
export function foreignAnswer(fault: object): string | undefined {
  const { $metadata, $response }: FaultAnswer = fault;
  const status = $metadata?.httpStatusCode;
  const type = /^(?:text\/html|text\/plain|application\/json)/.exec($response?.headers?.['content-type'] ?? '')?.[0];
  return type === undefined || status === undefined || status >= 500 || MEANT_STATUSES.includes(status) ? undefined : `${status}, ${type}`;
}
