import type { S3Fault } from './s3/fault.ts';

/** Statuses that proxies send themselves. They have a meaning of their own, whatever the body is. */
const MEANT_STATUSES: readonly number[] = [408, 412, 413, 416, 429];

/** The right region, when storage refuses the configured one and names it. */
export function expectedRegion({ status, region }: S3Fault, name: string): string | undefined {
  // The answer to a HEAD has no body, so it does not name its fault.
  const isUnnamed = name === 'Unknown' && (status === 301 || status === 400);
  if (!isUnnamed && !['PermanentRedirect', 'AuthorizationHeaderMalformed', 'IllegalLocationConstraintException'].includes(name)) return undefined;
  return region !== undefined && /^[a-z0-9-]{1,40}$/i.test(region) ? region : undefined;
}

/** Describes an answer that does not come from S3, such as `404, text/html` from a web page or another service. */
export function foreignAnswer({ status, contentType }: S3Fault): string | undefined {
  const type = /^(?:text\/html|text\/plain|application\/json)/.exec(contentType)?.[0];
  return type === undefined || status >= 500 || MEANT_STATUSES.includes(status) ? undefined : `${status}, ${type}`;
}
