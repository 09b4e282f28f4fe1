import { beforeEach, describe, expect, it } from '@jest/globals';
import { hash } from 'node:crypto';
import { DesktopCodes, type CodeRequest, type SessionMaking } from '../../src/signin/desktop-code.ts';
import { MemoryEntries } from '../../src/state/memory-entries.ts';

const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const REDIRECT = 'http://127.0.0.1:4711/callback';
const person = {
  identity: { issuer: 'https://idp.example', subject: 'alice', groups: ['staff'] },
  name: 'Alice',
  idToken: 'id-token',
  login: undefined,
};
const grant = {
  desktop: { redirectUri: REDIRECT, state: 's', codeChallenge: hash('sha256', VERIFIER, 'base64url') },
  person,
};

type Made = { readonly id: string; readonly subject: string };

/** The entries of one instance, with every id that was ever named to them. */
class RecordedEntries extends MemoryEntries {
  readonly ids: string[] = [];

  override put(id: string, value: string, expiresAt: number): Promise<void> {
    this.ids.push(id);
    return super.put(id, value, expiresAt);
  }

  override consume(id: string, expiresAt: number): Promise<'first' | 'replayed'> {
    this.ids.push(id);
    return super.consume(id, expiresAt);
  }
}

let now: number;
let started: Made[];
let revoked: string[];
let sessions: SessionMaking<Made>;
let codes: DesktopCodes;
let entries: RecordedEntries;

beforeEach(() => {
  now = 1_000_000;
  started = [];
  revoked = [];
  sessions = {
    asked: () => undefined,
    start: async ({ identity }) => {
      const made = { id: `session-${started.length}`, subject: identity.subject };
      started.push(made);
      return made;
    },
    idOf: ({ id }) => id,
    revoke: async (id) => void revoked.push(id),
  };
  entries = new RecordedEntries({ now: () => now });
  codes = new DesktopCodes({ entries, now: () => now });
});

const asking = (code: string, changes: Partial<CodeRequest> = {}): CodeRequest => ({
  clientId: 'svc-desktop',
  redirectUri: REDIRECT,
  code,
  verifier: VERIFIER,
  ...changes,
});

describe('DesktopCodes.redeem', () => {
  it('starts the session that the code stands for', async () => {
    const code = await codes.issue(grant);
    expect(code).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(await codes.redeem(asking(code), sessions)).toEqual({ id: 'session-0', subject: 'alice' });
    expect(revoked).toEqual([]);
  });

  it('keeps no code, and no ID token once it was used', async () => {
    const code = await codes.issue(grant);
    expect(entries.ids.join()).not.toContain(code);
    expect((await entries.get(entries.ids[0]!)) ?? '').toContain('id-token');
    await codes.redeem(asking(code), sessions);
    for (const id of entries.ids) expect((await entries.get(id)) ?? '').not.toContain('id-token');
  });

  it('refuses a second use, and revokes the session of the first', async () => {
    const code = await codes.issue(grant);
    await codes.redeem(asking(code), sessions);
    expect(await codes.redeem(asking(code), sessions)).toBeUndefined();
    expect(started).toHaveLength(1);
    expect(revoked).toEqual(['session-0']);
  });

  it('revokes on a second use after the 60 seconds, and with anything else mismatched', async () => {
    const code = await codes.issue(grant);
    await codes.redeem(asking(code), sessions);
    now += 120_000;
    expect(await codes.redeem(asking(code, { verifier: 'x'.repeat(43) }), sessions)).toBeUndefined();
    expect(revoked).toEqual(['session-0']);
  });

  it('leaves no session when the code is used 50 times at once', async () => {
    const code = await codes.issue(grant);
    const slow: SessionMaking<Made> = {
      ...sessions,
      start: async (who) => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        return await sessions.start(who);
      },
    };
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => codes.redeem(asking(code), slow)));
    expect(outcomes.filter((outcome) => outcome !== undefined)).toEqual([]);
    expect(started).toHaveLength(1);
    expect(new Set(revoked)).toEqual(new Set(['session-0']));
  });

  it('lives 60 seconds', async () => {
    const [early, late] = [await codes.issue(grant), await codes.issue(grant)];
    now += 59_999;
    expect(await codes.redeem(asking(early), sessions)).toBeDefined();
    now += 1;
    expect(await codes.redeem(asking(late), sessions)).toBeUndefined();
    expect(revoked).toEqual([]);
  });

  it.each<[string, Partial<CodeRequest>]>([
    ['another client', { clientId: 'svc' }],
    ['another redirect', { redirectUri: 'http://127.0.0.1:4712/callback' }],
    ['a redirect that means the same', { redirectUri: 'http://127.0.0.1:4711/callback?' }],
    ['another verifier', { verifier: VERIFIER.replace('d', 'e') }],
    ['the challenge as verifier', { verifier: grant.desktop.codeChallenge }],
    ['a verifier that is too short', { verifier: 'short' }],
    ['an empty verifier', { verifier: '' }],
  ])('refuses %s, and the code is spent', async (_name, changes) => {
    const code = await codes.issue(grant);
    expect(await codes.redeem(asking(code, changes), sessions)).toBeUndefined();
    expect(await codes.redeem(asking(code), sessions)).toBeUndefined();
    expect(started).toEqual([]);
  });

  it('refuses a verifier outside of 43 to 128 characters even when it fits the challenge', async () => {
    for (const verifier of ['x'.repeat(42), 'x'.repeat(129), 'é'.repeat(50)]) {
      const code = await codes.issue({
        ...grant,
        desktop: { ...grant.desktop, codeChallenge: hash('sha256', verifier, 'base64url') },
      });
      expect(await codes.redeem(asking(code, { verifier }), sessions)).toBeUndefined();
    }
  });

  it('refuses codes that were never issued, and keeps nothing of them', async () => {
    for (const code of ['', 'x', 'x'.repeat(10_000), '__proto__'])
      expect(await codes.redeem(asking(code), sessions)).toBeUndefined();
    expect(entries.ids).toEqual([]);
  });

  it('passes on why no session could be started, with the code spent', async () => {
    const code = await codes.issue(grant);
    const full: SessionMaking<Made> = {
      ...sessions,
      start: () => Promise.reject(Object.assign(new Error('full'), { code: 'session_capacity' })),
    };
    await expect(codes.redeem(asking(code), full)).rejects.toMatchObject({ code: 'session_capacity' });
    expect(await codes.redeem(asking(code), sessions)).toBeUndefined();
  });
});
