import { describe, expect, it } from '@jest/globals';
import { endpointFault, issuerFault, publicOriginFault, safeUrlFault } from '../../src/config/compile/origin.ts';

describe('publicOriginFault', () => {
  it.each([
    'https://files.example.com',
    'https://files.example.com:8443',
    'HTTPS://Files.Example.com',
    'http://127.0.0.1',
    'http://127.0.0.1:8080',
    'http://127.1.2.3:80',
    'http://[::1]:8080',
    'https://[2001:db8::1]',
  ])('takes %s', (text) => expect(publicOriginFault(text)).toBeUndefined());

  it.each([
    ['http://files.example.com', 'HTTPS'],
    ['http://localhost:8080', 'HTTPS'],
    ['http://127.1:8080', 'HTTPS'],
    ['http://2130706433', 'HTTPS'],
    ['http://0x7f.0.0.1', 'HTTPS'],
    ['http://127.0.0.01', 'HTTPS'],
    ['http://[::ffff:127.0.0.1]', 'HTTPS'],
    ['http://127.0.0.1.example.com', 'HTTPS'],
    ['http://①②⑦.⓪.⓪.①', 'ASCII'],
    ['https://files.example.com/', 'no path'],
    ['https://files.example.com/app', 'no path'],
    ['https://files.example.com?a', 'no query'],
    ['https://files.example.com#a', 'no query'],
    ['https://me@files.example.com', 'credentials'],
    ['https://me:canary@files.example.com', 'credentials'],
    ['https://files.example.com\\evil', 'backslashes'],
    ['https://files.example.com\n', 'ASCII'],
    [' https://files.example.com', 'ASCII'],
    ['https:files.example.com', 'URL'],
    ['https:///files.example.com', 'URL'],
    ['https://', 'URL'],
    ['https://files.example.com:99999', 'URL'],
    ['ftp://files.example.com', 'URL'],
    ['files.example.com', 'URL'],
    ['javascript:alert(1)', 'URL'],
  ])('refuses %j', (text, why) => {
    expect(publicOriginFault(text)).toContain(why);
    expect(publicOriginFault(text)).not.toContain('canary');
  });
});

describe('safeUrlFault', () => {
  it('takes a path, but neither query nor plain HTTP to a name', () => {
    expect(safeUrlFault('https://files.example.com/signed-out')).toBeUndefined();
    expect(safeUrlFault('http://127.0.0.1:8080/api/auth/callback')).toBeUndefined();
    expect(safeUrlFault('https://files.example.com/?a')).toContain('no query');
    expect(safeUrlFault('http://files.example.com/x')).toContain('HTTPS');
  });
});

describe('issuerFault', () => {
  it('takes plain HTTP on loopback, by number or name', () => {
    expect(
      ['http://127.0.0.1:9080', 'http://localhost:8180/realms/x', 'https://login.example.com/'].map(issuerFault),
    ).toEqual([undefined, undefined, undefined]);
    expect(issuerFault('http://login.example.com')).toContain('HTTPS');
    expect(issuerFault('http://localhost.example.com')).toContain('HTTPS');
  });

  it('refuses the address of a discovery document', () => {
    expect(issuerFault('https://login.example.com/realms/x/.well-known/openid-configuration')).toContain(
      '`/.well-known/',
    );
  });
});

describe('endpointFault', () => {
  it('takes HTTP anywhere, and no credentials', () => {
    expect(endpointFault('http://minio:9000')).toBeUndefined();
    expect(endpointFault('http://key:canary@minio:9000')).toBe('must not hold credentials');
    for (const url of ['http://minio:9000//', 'http://minio/a//b', 'https://minio//a', 'http://minio/a://b'])
      expect(endpointFault(url)).toBe('must have no empty segment in its path');
    expect(endpointFault('http://minio:9000/storage/')).toBeUndefined();
  });
});
