import type { S3Settings } from '../config/read/settings.ts';
import { SvcError } from '../errors/svc-error.ts';
import { S3Sessions } from '../s3/sessions.ts';
import { Storage } from '../storage/storage.ts';
import { faultBehind } from '../storage/storage-error.ts';
import type { Findings } from './finding.ts';

const SESSION_MS = 60_000;
const [CONNECT_MS, IDLE_MS] = [5_000, 10_000];
const PASS_ON = 'let it pass path, query and `Host` on as they came (docs/s3.md, "Behind a reverse proxy")';

/** Requests that a proxy may change, from the plainest on, and what it would have changed. */
const PROBES = [
  { request: { bucket: 'svc-doctor', key: 'x' }, changed: '`Host`' },
  { request: { bucket: 'svc-doctor', key: 'a//b%2Fc d+ü' }, changed: 'the path, by decoding it or by merging slashes' },
  {
    request: { bucket: 'svc-doctor', key: 'x', query: { 'response-content-type': 'a/b c+d%2F' } },
    changed: 'the query',
  },
] as const;

/**
 * Sends signed requests through `s3.public_endpoint`, as tools do, and says what a proxy changed. Their session belongs to nobody, so they are refused, and the
 * audit of the service has their lines.
 */
export async function examineS3Endpoint(
  { publicEndpoint, region, secrets }: Pick<S3Settings, 'publicEndpoint' | 'region' | 'secrets'>,
  provider: string,
  findings: Findings,
): Promise<void> {
  const nobody = { issuer: 'svc doctor', subject: 'svc doctor', groups: [] };
  const expiresAt = Date.now() + SESSION_MS;
  const credentials = new S3Sessions(secrets).begin({ identity: nobody, name: 'doctor', expiresAt, provider });
  const storage = new Storage([
    {
      name: 'endpoint',
      type: 's3',
      endpoint: publicEndpoint,
      region,
      pathStyle: true,
      credentials,
      connectTimeoutMs: CONNECT_MS,
      idleTimeoutMs: IDLE_MS,
    },
  ]);
  try {
    const { s3 } = storage.providers.all()[0]!;
    for (const { request, changed } of PROBES) {
      const error: unknown = await s3.send({ method: 'GET', ...request }).then(
        () => undefined,
        (fault: unknown) => fault,
      );
      const name = faultBehind(error)?.name;
      if (error === undefined || name === 'AccessDenied' || name === 'NoSuchBucket') continue;
      if (name === 'SignatureDoesNotMatch') findings.fail(`${publicEndpoint}: a proxy changes ${changed}; ${PASS_ON}`);
      else if (name === 'InvalidToken')
        findings.fail(`${publicEndpoint} is served with another \`s3.secret\`; is it this service?`);
      else
        findings.warn(
          `${publicEndpoint} does not answer as the S3 endpoint of this service, if it runs: ${textOf(error)}`,
        );
      return;
    }
    findings.ok(`${publicEndpoint} passes signed requests on as they are`);
  } finally {
    storage.close();
  }
}

function textOf(error: unknown): string {
  const fault = faultBehind(error);
  if (fault !== undefined) return `${fault.status} ${fault.name}`;
  return error instanceof SvcError ? (error.detail ?? error.code) : String(error);
}
