import { S3Client } from '@aws-sdk/client-s3';
import { startApp, type AppOptions, type TestApp } from './app.ts';
import { signInDesktop } from './desktop-client.ts';
import { freePort } from './free-port.ts';
import { RpcClient } from './rpc-client.ts';

/** The service with its S3 endpoint, and keys of its people. */
export type S3Face = {
  readonly app: TestApp;
  readonly endpoint: string;
  /** A new key of an account, as tools take it. */
  key(account: string, more?: object): Promise<S3Key>;
  /** Today's SDK with such a key. */
  client(key: S3Key): S3Client;
  rpc(account: string): Promise<RpcClient>;
};

export const S3_SECRET = 'a secret of the tests, 32 bytes or more';

export type S3Key = { readonly accessKeyId: string; readonly secretAccessKey: string };

export async function startS3Face({ config, ...options }: AppOptions = {}): Promise<S3Face> {
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const app = await startApp({
    ...options,
    config: (given) => {
      const s3 = { port, public_endpoint: endpoint, secret: S3_SECRET };
      return { ...given, s3, ...config?.({ ...given, s3 }) };
    },
  });
  const rpc = async (account: string) => RpcClient.bearer(app.origin, (await signInDesktop(app, account)).access_token);
  return {
    app,
    endpoint,
    rpc,
    key: async (account, more) => {
      const { key, secretAccessKey } = await (
        await rpc(account)
      ).call('s3Key/create', { provider: 'main', description: 'tests', ...more });
      return { accessKeyId: key.accessKeyId, secretAccessKey };
    },
    client: (credentials) =>
      new S3Client({ endpoint, region: 'svc', credentials, forcePathStyle: true, maxAttempts: 1 }),
  };
}
