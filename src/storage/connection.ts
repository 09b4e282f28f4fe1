import { Agent as HttpAgent, type ProxyEnv } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { createSecureContext } from 'node:tls';
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import type { StorageProvider, StorageProviderOptions, ProxyOptions } from './provider.ts';
import { checkAnswers } from './answers.ts';
import { tooSlow } from './stall-clock.ts';
import { isFault, isNetworkTimeout, networkCodeOf } from './storage-error.ts';

/** How many sockets a process has to one provider, for questions and for bodies each, so that slow downloads never hold up a listing. */
const QUESTION_SOCKETS = 64;
const BODY_SOCKETS = 512;
/** How long an idle socket is kept: shorter than servers keep it, so that a body, which cannot be sent twice, is not sent on a closing connection. */
const IDLE_SOCKET_MS = 4000;
const MAX_ATTEMPTS = 3;

const ignore = (): void => undefined;
/** The SDK logs nothing, because every fault is thrown. It has no `info` and `error`, for which the SDK would copy each request and answer. */
const SILENT = { trace: ignore, debug: ignore, warn: ignore } as unknown as NonNullable<S3ClientConfig['logger']>;

type Patience = { readonly requestTimeout: number; readonly socketTimeout: number };

/** The parts that all providers of a service share. */
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
  // The TLS context is made once, because parsing all authorities for each connection takes too long.
  const secureContext = options.ca === undefined ? undefined : createSecureContext({ ca: [...options.ca] });
  const config: S3ClientConfig = {
    endpoint,
    region: options.region,
    forcePathStyle: options.pathStyle,
    maxAttempts: MAX_ATTEMPTS,
    // Other storage than Amazon's knows neither these checksums nor trailers.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // Storage that ignores `Expect` would delay every upload.
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

/** Node's agents expect proxies as environment variables. */
function proxyEnvOf(proxy: ProxyOptions | undefined): ProxyEnv | undefined {
  if (proxy === undefined) return undefined;
  const { http, https, except } = proxy;
  return { ...(http !== undefined && { HTTP_PROXY: http }), ...(https !== undefined && { HTTPS_PROXY: https }), NO_PROXY: except };
}

/**
 * Keeps the SDK from asking slow storage a second time, because the caller would wait a multiple of the configured time.
 *
 * The SDK still tries again after other faults, such as a connection that is reset.
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
        // The error has no cause, because the SDK would look into it and try again.
        if (code !== '' || isFault(error, 'TimeoutError')) throw tooSlow(provider);
        throw error;
      }
    },
    { step: 'finalizeRequest', priority: 'low', name: 'waitOnce' },
  );
}
