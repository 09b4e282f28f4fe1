import { describe, expect, it } from '@jest/globals';
import { isLoopbackRedirect, isNumericLoopback } from '../../src/signin/loopback.ts';

describe('isLoopbackRedirect', () => {
  it.each(['http://127.0.0.1:1/callback', 'http://127.0.0.1:65535/callback', 'http://[::1]:4711/callback'])(
    'accepts %s',
    (redirect) => {
      expect(isLoopbackRedirect(redirect)).toBe(true);
    },
  );

  it.each([
    '',
    'http://127.0.0.1/callback',
    'http://127.0.0.1:/callback',
    'http://127.0.0.1:0/callback',
    'http://127.0.0.1:080/callback',
    'http://127.0.0.1:65536/callback',
    'http://127.0.0.1:99999/callback',
    'http://127.0.0.1:100000/callback',
    'http://127.0.0.1:+80/callback',
    'http://127.0.0.1:8e1/callback',
    'https://127.0.0.1:80/callback',
    'HTTP://127.0.0.1:80/callback',
    'http://127.0.0.1:80/Callback',
    'http://127.0.0.1:80/callback/',
    'http://127.0.0.1:80/callback?a=b',
    'http://127.0.0.1:80/callback#a',
    'http://127.0.0.1:80//callback',
    'http://127.0.0.1:80/x/../callback',
    'http://127.0.0.1:80/%63allback',
    'http://127.0.0.1:80/callback\n',
    '\nhttp://127.0.0.1:80/callback',
    ' http://127.0.0.1:80/callback',
    'http:/127.0.0.1:80/callback',
    'http:\\\\127.0.0.1:80/callback',
    'http://127.1:80/callback',
    'http://2130706433:80/callback',
    'http://0x7f000001:80/callback',
    'http://0177.0.0.1:80/callback',
    'http://127.0.0.2:80/callback',
    'http://①②⑦.⓪.⓪.①:80/callback',
    'http://127。0。0。1:80/callback',
    'http://127.0.0.1:８０/callback',
    'http://localhost:80/callback',
    'http://[0:0:0:0:0:0:0:1]:80/callback',
    'http://[::1%25lo]:80/callback',
    'http://[::ffff:127.0.0.1]:80/callback',
    'http://::1:80/callback',
    'http://user@127.0.0.1:80/callback',
    'http://127.0.0.1:80@evil.example/callback',
    'http://127.0.0.1.evil.example:80/callback',
    'http://127x0x0x1:80/callback',
  ])('refuses %j', (redirect) => {
    expect(isLoopbackRedirect(redirect)).toBe(false);
  });
});

describe('isNumericLoopback', () => {
  it.each([
    ['http://127.0.0.1/', true],
    ['http://127.255.1.2:8080/', true],
    ['http://[::1]/', true],
    ['http://localhost/', false],
    ['http://128.0.0.1/', false],
    ['http://127.0.0.1.example/', false],
    ['http://[::2]/', false],
  ])('of %s is %s', (url, expected) => {
    expect(isNumericLoopback(new URL(url))).toBe(expected);
  });
});
