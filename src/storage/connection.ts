import { Agent as HttpAgent, type ProxyEnv } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { createSecureContext } from 'node:tls';
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import type { StorageProvider, StorageProviderOptions, ProxyOptions } from './provider.ts';
import { checkAnswers } from './answers.ts';
import { tooSlow } from './stall-clock.ts';
import { isFault, isNetworkTimeout, networkCodeOf } from './storage-error.ts';

/** Of one process to one provider: questions and bodies have sockets of their own, so that slow downloads never hold up a listing. */
const QUESTION_SOCKETS = 64;
const BODY_SOCKETS = 512;
/** Shorter than servers keep an idle connection, so that a body, which cannot be sent twice, meets no connection about to close. */
const IDLE_SOCKET_MS = 4000;
const MAX_ATTEMPTS = 3;

const ignore = (): void => undefined;
/** Every fault is thrown; the SDK has nothing to add to that. Without `info` and `error`: for these it would copy each request and answer. */
const SILENT = { trace: ignore, debug: ignore, warn: ignore } as unknown as NonNullable<S3ClientConfig['logger']>;

type Patience = { readonly requestTimeout: number; readonly socketTimeout: number };

/** What the providers of a service have in common. */
type Shared = Pick<StorageProvider, 'cursors' | 'turns'>;

/** Makes the clients of one provider; no connection is opened yet. */
export function connect(options: StorageProviderOptions, { cursors, turns }: Shared): StorageProvider {
  const { idleTimeoutMs } = options;
  const client = s3Client(options, options.endpoint, QUESTION_SOCKETS, { requestTimeout: idleTimeoutMs, socketTimeout: idleTimeoutMs });
  return {
    name: options.name,
    type: options.type,
    endpoint: new URL(options.endpoint).href,
    dotSegments: options.dotSegments ?? 'refuse',
    cursors,
    buckets: options.buckets,
    connectTimeoutMs: options.connectTimeoutMs,
    idleTimeoutMs,
    client,
    uploads: s3Client(options, options.endpoint, BODY_SOCKETS, { requestTimeout: 0, socketTimeout: idleTimeoutMs }),
    streams: s3Client(options, options.endpoint, BODY_SOCKETS, { requestTimeout: 0, socketTimeout: 0 }),
    signer: options.publicEndpoint === undefined ? client : s3Client(options, options.publicEndpoint, 1, { requestTimeout: 0, socketTimeout: 0 }),
    turns,
  };
}

export function disconnect(provider: StorageProvider): void {
  for (const client of new Set([provider.client, provider.uploads, provider.streams, provider.signer])) client.destroy();
}

function s3Client(options: StorageProviderOptions, endpoint: string, sockets: number, patience: Patience): S3Client {
  const agent = { keepAlive: true, maxSockets: sockets, maxFreeSockets: 32, timeout: IDLE_SOCKET_MS, scheduling: 'lifo', proxyEnv: proxyEnvOf(options.proxy) } as const;
  // Made once: reading all authorities for each connection takes too long.
  const secureContext = options.ca === undefined ? undefined : createSecureContext({ ca: [...options.ca] });
  const config: S3ClientConfig = {
    endpoint,
    region: options.region,
    forcePathStyle: options.pathStyle,
    maxAttempts: MAX_ATTEMPTS,
    // Storage other than Amazon's knows neither these checksums nor trailers.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // Storage that ignores `Expect` would hold each upload up; the credentials have proved themselves long before.
    expectContinueHeader: false,
    logger: SILENT,
    requestHandler: new NodeHttpHandler({
      connectionTimeout: options.connectTimeoutMs,
      ...patience,
      throwOnRequestTimeout: true,
      socketAcquisitionWarningTimeout: 2 ** 31 - 1,
      httpAgent: new HttpAgent(agent),
      httpsAgent: new HttpsAgent({ ...agent, ...(secureContext && { secureContext }) }),
    }),
  };
  if (options.credentials !== undefined) {
    const { accessKeyId, secretAccessKey, sessionToken } = options.credentials;
    config.credentials = { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) };
  }
  const client = new S3Client(config);
  waitOnce(client, options.name);
  checkAnswers(client, options.name);
  return client;
}

/** Node's agents take proxies in the form of an environment. */
function proxyEnvOf(proxy: ProxyOptions | undefined): ProxyEnv | undefined {
  if (proxy === undefined) return undefined;
  const { http, https, except } = proxy;
  return { ...(http !== undefined && { HTTP_PROXY: http }), ...(https !== undefined && { HTTPS_PROXY: https }), NO_PROXY: except };
}

/**
 * Asks storage that was too slow once not a second time: the caller would wait a multiple of the configured time.
 *
 * Other faults, such as a connection that is reset, are tried again by the SDK.
 */
function waitOnce(client: S3Client, provider: string): void {
  client.middlewareStack.add(
    (next) => async (args) => {
      try {
        return await next(args);
      } catch (error) {
        const code = networkCodeOf(error);
        // The SDK calls some of these a timeout, which they are not.
        if (code !== '' && !isNetworkTimeout(code)) throw Object.assign(new Error(`the connection failed: ${code}`, { cause: error }), { code });
        // Without a cause: the SDK would look into it, and try again.
        if (code !== '' || isFault(error, 'TimeoutError')) throw tooSlow(provider);
        throw error;
      }
    },
    { step: 'finalizeRequest', priority: 'low', name: 'waitOnce' },
  );
}
