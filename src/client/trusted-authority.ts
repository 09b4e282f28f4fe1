import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { ClientFailure } from './client-failure.ts';

/**
 * Makes this process trust the authorities of a PEM file too.
 *
 * @throws {ClientFailure} usage: no such file, or no certificate in it.
 */
export function trustAuthorities(file: string): void {
  const text = textOf(file);
  try {
    // Parses the first certificate, because the call below would ignore invalid ones.
    new X509Certificate(text);
    setDefaultCACertificates([...getCACertificates('default'), text]);
  } catch {
    throw new ClientFailure(`the file \`${file}\` of \`--ca\` holds no certificate in PEM form`, 'usage');
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ClientFailure(
      `the file \`${file}\` of \`--ca\` cannot be read (${String((error as NodeJS.ErrnoException).code)})`,
      'usage',
    );
  }
}
