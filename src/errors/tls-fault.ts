const UNKNOWN_AUTHORITY = [
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'CERT_UNTRUSTED',
];
const NOT_TLS = ['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG', 'ERR_SSL_HTTP_REQUEST'];

/** The names of the settings that the reader can change, as they are written. */
export type TlsSettings = {
  /** Names a file of certificates to trust, such as `tls.ca_file`. */
  readonly authority: string;
  /** Names the other side's address, such as `endpoint`. */
  readonly address: string;
};

/**
 * Says what is wrong with a TLS connection and what to set. The text follows the name of the other side in a sentence.
 *
 * @param code - As Node gives it, such as `UNABLE_TO_VERIFY_LEAF_SIGNATURE`.
 * @returns undefined when TLS is not the reason.
 */
export function tlsFault(code: string, { authority, address }: TlsSettings): string | undefined {
  if (UNKNOWN_AUTHORITY.includes(code))
    return `shows a certificate of an authority that is not trusted here (${code}); set ${authority} to a file with that authority's certificate`;
  if (code === 'DEPTH_ZERO_SELF_SIGNED_CERT')
    return `shows a certificate that it signed itself, which is not trusted here (${code}); set ${authority} to a file with that certificate`;
  if (code === 'CERT_HAS_EXPIRED')
    return `shows a certificate that has expired (${code}); renew it there, or set this machine's clock`;
  if (code === 'CERT_NOT_YET_VALID')
    return `shows a certificate that is not valid yet (${code}); set this machine's clock`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `shows a certificate for another name (${code}); set ${address} to a name that the certificate holds`;
  if (NOT_TLS.includes(code))
    return `does not speak TLS as expected (${code}); check whether ${address} begins with the right scheme`;
  if (/CERT|SIGNATURE|CRL|CA_|ISSUER|^ERR_TLS|^ERR_SSL|^ERR_OSSL/.test(code))
    return `shows a certificate that is not accepted (${code}); check it, and ${authority}`;
  return undefined;
}
