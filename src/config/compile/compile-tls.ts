import { createPrivateKey, X509Certificate } from 'node:crypto';
import { resolve } from 'node:path';
import { getCACertificates } from 'node:tls';
import type { Faults } from '../read/fault.ts';
import type { ClientTls } from '../read/settings.ts';
import { readRegularFile, unreadable } from '../read/regular-file.ts';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * All trusted certificates of a connection, in PEM: those of `ca_file` and those that Node trusts.
 *
 * @param path - of the `tls` mapping, for faults.
 * @returns undefined when `ca_file` is not set, to use Node's own.
 */
export function compileTls(
  tls: { readonly ca_file?: string } | undefined,
  path: string,
  directory: string,
  faults: Faults,
): readonly string[] | undefined {
  if (tls?.ca_file === undefined) return undefined;
  const file = resolve(directory, tls.ca_file);
  try {
    const certificates = readRegularFile(file).toString().match(CERTIFICATE) ?? [];
    if (certificates.length > 0 && certificates.every(isReadable))
      return [...getCACertificates('default'), ...certificates];
    faults.add(`${path}.ca_file`, `the file \`${file}\` holds no certificate in PEM form that can be read`);
  } catch (error) {
    faults.add(`${path}.ca_file`, `the file \`${file}\` ${unreadable(error)}`);
  }
  return undefined;
}

/** Like {@link compileTls}, with the client certificate and its key. */
export function compileClientTls(
  tls: { readonly ca_file?: string; readonly cert_file?: string; readonly key_file?: string } | undefined,
  path: string,
  directory: string,
  faults: Faults,
): ClientTls {
  const { cert_file: certFile, key_file: keyFile } = tls ?? {};
  if ((certFile === undefined) !== (keyFile === undefined))
    faults.add(path, 'needs both of `cert_file` and `key_file`, or neither');
  return {
    ca: compileTls(tls, path, directory, faults),
    cert: pemOf(certFile, `${path}.cert_file`, directory, faults, (pem) => new X509Certificate(pem)),
    key: pemOf(keyFile, `${path}.key_file`, directory, faults, (pem) => createPrivateKey(pem)),
  };
}

function pemOf(
  file: string | undefined,
  path: string,
  directory: string,
  faults: Faults,
  parse: (pem: string) => unknown,
): string | undefined {
  const found = file === undefined ? undefined : readable(resolve(directory, file), path, faults);
  if (found === undefined) return undefined;
  try {
    const pem = readRegularFile(found).toString();
    parse(pem);
    return pem;
  } catch {
    faults.add(path, `the file \`${found}\` holds nothing in PEM form that can be read`);
    return undefined;
  }
}

/** Returns the path of a readable file; otherwise adds a fault. */
export function readable(file: string, path: string, faults: Faults): string | undefined {
  try {
    readRegularFile(file);
    return file;
  } catch (error) {
    faults.add(path, `the file \`${file}\` ${unreadable(error)}`);
    return undefined;
  }
}

function isReadable(certificate: string): boolean {
  try {
    return new X509Certificate(certificate).raw.length > 0;
  } catch {
    return false;
  }
}
