import type { Credentials } from './signature.ts';

export type CredentialSource = () => Credentials | Promise<Credentials>;

/**
 * Returns the source of a provider's credentials: its configuration, or the AWS default chain (environment, shared files, web identity, container and instance
 * roles). The chain renews temporary credentials five minutes before they end.
 */
export function credentialSource(configured: Credentials | undefined): CredentialSource {
  if (configured !== undefined) return () => configured;
  let chain: Promise<CredentialSource> | undefined;
  return async () => {
    // Loaded when it is first needed, because most providers are configured with an access key.
    chain ??= import('@aws-sdk/credential-provider-node').then(({ defaultProvider }) => defaultProvider());
    const source = await chain;
    try {
      return await source();
    } catch (error) {
      throw noCredentials(error);
    }
  };
}

/** Whatever keeps the chain from giving credentials is the same fault of the configuration. Its code says that a stack is of no use. */
function noCredentials(error: unknown): Error {
  return Object.assign(new Error(withoutAnswer(error as NodeJS.ErrnoException)), { code: 'CredentialsProviderError' });
}

/** What an error says, without what a source answered, which may contain secrets. The chain quotes faults behind a colon; the name of any other one has to do. */
function withoutAnswer({ name, message, syscall }: NodeJS.ErrnoException): string {
  if (syscall !== undefined) return message;
  return name.endsWith('ProviderError') ? message.split(': ', 1)[0]! : name;
}
