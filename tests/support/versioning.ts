import type { StorageProvider } from '../../src/storage/provider.ts';

/** Turns the versioning of a bucket on or suspends it, which the service never does. */
export async function setVersioning(
  { s3 }: StorageProvider,
  bucket: string,
  status: 'Enabled' | 'Suspended',
): Promise<void> {
  const body = Buffer.from(
    `<VersioningConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Status>${status}</Status></VersioningConfiguration>`,
  );
  await s3.send({ method: 'PUT', bucket, query: { versioning: '' }, body });
}
