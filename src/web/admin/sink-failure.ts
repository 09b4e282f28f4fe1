import { t } from '../words/words.ts';

/** What the reasons of the audit's sinks mean: the codes of Node and of its HTTP client, the status of the receiver, and the service's own words. */
const MEANINGS: readonly (readonly [RegExp, string])[] = [
  [/ECONNREFUSED/, t('Nothing answers at the address of the receiver.')],
  [/ENOTFOUND|EAI_AGAIN/, t('The name of the receiver was not found.')],
  [
    /CERT|certificate|SELF_SIGNED|UNABLE_TO_|ERR_TLS|EPROTO/,
    t('The connection to the receiver is not trusted: check its certificate.'),
  ],
  [/EHOSTUNREACH|ENETUNREACH|CONNECT_TIMEOUT/, t('The receiver cannot be reached.')],
  [/timeout|TIMEOUT|TIMEDOUT|has not read everything/, t('The receiver did not answer in time.')],
  [
    /ECONNRESET|EPIPE|UND_ERR_SOCKET|other side closed|closed the connection|was cut/,
    t('The receiver closed the connection before it had everything.'),
  ],
  [/status 40[13]\b/, t('The receiver does not accept the credentials of the service.')],
  [/status 404\b/, t('There is nothing at the address of the receiver.')],
  [/status 413\b/, t('The receiver finds the lines too large.')],
  [/status 429\b/, t('The receiver asks the service to wait.')],
  [/status 3\d\d\b/, t('The receiver points to another address, to which nothing is sent.')],
  [/status 4\d\d\b/, t('The receiver refused the lines.')],
  [/status 5\d\d\b/, t('The receiver has a fault of its own.')],
];

/** Why a sink took no lines, in words. */
export function sinkFailureText(why: string): string {
  return MEANINGS.find(([pattern]) => pattern.test(why))?.[1] ?? t('The lines could not be sent.');
}
