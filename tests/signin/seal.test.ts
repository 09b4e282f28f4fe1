import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { PendingLogin } from '../../src/signin/pending-login.ts';
import { randomSealingKey, sealingKeyFromSecret } from '../../src/secret/sealer.ts';
import { Seal } from '../../src/signin/seal.ts';

const login: PendingLogin = { expiresAt: 1, browser: 'b'.repeat(43), returnTo: '/é', desktop: undefined };
const desktop = { redirectUri: 'http://[::1]:1/callback', state: 'a"b', codeChallenge: 'c' };

describe('Seal', () => {
  it('opens what it sealed, with the same verifier and nonce', () => {
    const seal = new Seal([randomSealingKey()]);
    for (const pending of [login, { ...login, desktop }]) {
      const sealed = seal.seal(pending);
      expect(seal.open(sealed.state)).toEqual(sealed);
      expect(sealed.login).toEqual(pending);
    }
  });

  it('makes a PKCE verifier and a nonce that differ from each other and from login to login, and do not stand in the state', () => {
    const seal = new Seal([randomSealingKey()]);
    const sealed = [seal.seal(login), seal.seal(login)];
    const secrets = sealed.flatMap(({ verifier, nonce }) => [verifier, nonce]);
    expect(new Set(secrets).size).toBe(4);
    for (const secret of secrets) {
      expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
      expect(sealed.map(({ state }) => Buffer.from(state, 'base64url').toString('hex')).join()).not.toContain(
        Buffer.from(secret, 'base64url').toString('hex'),
      );
    }
  });

  it('opens nothing that was changed in any place', () => {
    const seal = new Seal([randomSealingKey()]);
    const bytes = Buffer.from(seal.seal(login).state, 'base64url');
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1;
      expect(seal.open(changed.toString('base64url'))).toBeUndefined();
    }
  });

  it('opens no text but its own, however it is made', () => {
    const seal = new Seal([randomSealingKey()]);
    const { state } = seal.seal(login);
    for (const other of [
      `${state}=`,
      `${state}A`,
      state.slice(0, -1),
      ` ${state}`,
      `${state}\n`,
      state.toLowerCase(),
      '',
    ])
      expect(seal.open(other)).toBeUndefined();
    fc.assert(fc.property(fc.oneof(fc.string(), fc.base64String()), (text) => seal.open(text) === undefined));
  });

  it('opens with any of its keys and seals with the first', () => {
    const [old, fresh] = [randomSealingKey(), randomSealingKey()];
    const sealed = new Seal([old]).seal(login);
    expect(new Seal([fresh, old]).open(sealed.state)).toEqual(sealed);
    expect(new Seal([fresh]).open(sealed.state)).toBeUndefined();
    expect(new Seal([fresh]).open(new Seal([fresh, old]).seal(login).state)).toBeDefined();
  });
});

describe('sealingKeyFromSecret', () => {
  it('gives every instance with the same secret the same key, and none with another', () => {
    const secret = 'x'.repeat(32);
    expect(sealingKeyFromSecret(secret, 'p').equals(sealingKeyFromSecret(secret, 'p'))).toBe(true);
    expect(sealingKeyFromSecret(secret, 'p').equals(sealingKeyFromSecret(`${secret}y`, 'p'))).toBe(false);
    expect(sealingKeyFromSecret(secret, 'p')).toHaveLength(32);
    expect(sealingKeyFromSecret(secret, 'p').toString()).not.toContain('xxxx');
  });
});
