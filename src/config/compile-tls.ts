import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { getCACertificates } from 'node:tls';
import type { Faults } from './fault.ts';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Every certificate to trust on a connection, in PEM: those of `ca_file` and those that Node trusts anyway.
 *
 * @param path - of the `tls` mapping, for faults.
 * @returns undefined when nothing is set: then Node's own are meant.
 */
export function compileTls(tls: { readonly ca_file?: string } | undefined, path: string, directory: string, faults: Faults): readonly string[] | undefined {
  if (tls?.ca_file === undefined) return undefined;
  const file = resolve(directory, tls.ca_file);
  try {
    const certificates = readFileSync(file, 'utf8').match(CERTIFICATE) ?? [];
    if (certificates.length > 0 && certificates.every(isReadable)) return [...getCACertificates('default'), ...certificates];
    faults.add(`${path}.ca_file`, `the file \`${file}\` holds no certificate in PEM form that can be read`);
  } catch {
    faults.add(`${path}.ca_file`, `the file \`${file}\` cannot be read`);
  }
  return undefined;
}

function isReadable(certificate: string): boolean {
  try {
    return new X509Certificate(certificate).raw.length > 0;
  } catch {
    return false;
  }
}
