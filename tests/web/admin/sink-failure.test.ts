import { describe, expect, it } from '@jest/globals';
import { DeliveryError, reasonOf } from '../../../src/audit/sink/target.ts';
import { sinkFailureText } from '../../../src/web/admin/sink-failure.ts';

const coded = (message: string, code: string) => Object.assign(new Error(message), { code });

describe('sinkFailureText', () => {
  it.each([
    [coded('connect ECONNREFUSED 127.0.0.1:1', 'ECONNREFUSED'), 'Nothing answers'],
    [coded('getaddrinfo ENOTFOUND siem', 'ENOTFOUND'), 'The name of the receiver was not found.'],
    [coded('self-signed certificate', 'DEPTH_ZERO_SELF_SIGNED_CERT'), 'check its certificate'],
    [coded('Connect Timeout Error', 'UND_ERR_CONNECT_TIMEOUT'), 'cannot be reached'],
    [new DOMException('The operation was aborted due to timeout', 'TimeoutError'), 'did not answer in time'],
    [new Error('the receiver has not read everything within 5 ms, or does not'), 'did not answer in time'],
    [coded('other side closed', 'UND_ERR_SOCKET'), 'closed the connection'],
    [new Error('the connection was cut'), 'closed the connection'],
    [new DeliveryError(401, undefined), 'credentials'],
    [new DeliveryError(404, undefined), 'There is nothing'],
    [new DeliveryError(413, undefined), 'too large'],
    [new DeliveryError(429, undefined), 'to wait'],
    [new DeliveryError(307, undefined), 'another address'],
    [new DeliveryError(400, undefined), 'refused'],
    [new DeliveryError(503, undefined), 'a fault of its own'],
    [new Error('what nobody knows'), 'could not be sent'],
  ])('says %s in words', (error, words) => {
    expect(sinkFailureText(reasonOf(error))).toContain(words);
  });
});
