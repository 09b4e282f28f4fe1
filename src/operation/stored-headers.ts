import { refuseFault } from '../access/invalid.ts';
import { storedFault, type StoredHeaders } from '../wire/stored-headers.ts';

/**
 * The headers that a client wants to store with an object. No other header of a client reaches storage.
 *
 * @throws {SvcError} `invalid_request`
 */
export function storedHeadersOf(given: StoredHeaders = {}): StoredHeaders {
  const fault = storedFault(given);
  refuseFault(fault?.name === undefined ? 'stored' : `stored.${fault.name.slice(0, 100)}`, fault?.message);
  return given;
}
