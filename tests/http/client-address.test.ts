import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { clientAddressBehind } from '../../src/http/routing/client-address.ts';

const asked = (trusted: readonly string[], remoteAddress: string | undefined, headers: Record<string, string> = {}) =>
  clientAddressBehind(trusted)({ headers, socket: { remoteAddress } } as unknown as IncomingMessage);

describe('clientAddressBehind', () => {
  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['203.0.113.9:49152', '203.0.113.9'],
    ['[203.0.113.9]:49152', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['[::FFFF:cb00:7109]:1', '203.0.113.9'],
    ['[::1]:1234', '::1'],
    ['[2001:DB8:0:0::1]', '2001:db8::1'],
    ['2001:db8::1', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['198.51.100.7, 203.0.113.9:1 , 10.0.0.3:2,[fd00::2]:3', '203.0.113.9'],
    ['10.0.0.3', '10.0.0.3'],
    // What is not an address tells nothing, so the nearest known address stays.
    ['unknown, 10.0.0.3', '10.0.0.3'],
    ['203.0.113.9, unknown', '127.0.0.1'],
    ['for=203.0.113.9', '127.0.0.1'],
    ['1.2.3', '127.0.0.1'],
    ['[::1', '127.0.0.1'],
    ['', '127.0.0.1'],
  ])('reads `%s` of a trusted proxy as %s', (header, address) => {
    expect(asked(['127.0.0.1', '10.0.0.0/8', 'fd00::/8'], '127.0.0.1', { 'x-forwarded-for': header })).toBe(address);
  });

  it('believes nobody else', () => {
    expect(asked([], '127.0.0.1', { 'x-forwarded-for': '203.0.113.9' })).toBe('127.0.0.1');
    expect(asked(['10.0.0.0/8'], '192.0.2.1', { 'x-forwarded-for': '203.0.113.9' })).toBe('192.0.2.1');
    expect(asked([], undefined)).toBeUndefined();
  });

  it('does not read `Forwarded`, which a proxy passes on as the client sent it', () => {
    expect(asked(['127.0.0.1'], '127.0.0.1', { forwarded: 'for="[2001:db8::1]:1234"' })).toBe('127.0.0.1');
  });

  it.each([
    ['::ffff:10.0.0.1', ['10.0.0.0/8']],
    ['10.0.0.1', ['::ffff:10.0.0.0/104']],
    ['10.0.0.1', ['::ffff:10.0.0.1']],
    ['10.0.0.1', ['0.0.0.0/0']],
    ['2001:db8::1', ['::/0']],
    ['fe80::1%eth0', ['fe80::/10']],
    ['fe80::1', ['fe80::1%eth0']],
  ])('knows the proxy at %s by %j', (address, trusted) => {
    expect(asked(trusted, address, { 'x-forwarded-for': '203.0.113.9:80' })).toBe('203.0.113.9');
  });
});
