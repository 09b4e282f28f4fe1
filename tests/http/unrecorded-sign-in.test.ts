import { describe, expect, it } from '@jest/globals';
import { auditUnavailable } from '../../src/audit/audit-unavailable.ts';
import type { Audit } from '../../src/audit/record.ts';
import { Trail } from '../../src/audit/trail.ts';
import { codeOf, SvcError } from '../../src/errors/svc-error.ts';
import { SignInFlow } from '../../src/http/signin/sign-in-flow.ts';

const DESKTOP = { redirectUri: 'http://127.0.0.1:49152/callback', state: 'of-the-client', codeChallenge: '' };

/** Where the browser of a person is sent who signs in for a desktop client, and why the administration is told that they were refused. */
async function sentTo(audit: Partial<Audit>, issue: () => Promise<string>): Promise<Record<string, string>> {
  const person = { identity: { issuer: 'https://idp', subject: 'ada', groups: [] }, name: 'Ada' };
  const kept: unknown[] = [];
  const flow = new SignInFlow({
    signIn: { complete: async () => ({ outcome: 'desktop', desktop: DESKTOP, person }) },
    records: { keep: (_notes: unknown, _request: unknown, error?: unknown) => kept.push(codeOf(error)) },
    desktopCodes: { issue },
    log: { warn: () => undefined },
  } as never);
  const works = { reads: 'content', ready: () => undefined, write: () => undefined } as const;
  const trail = new Trail({ ...works, ...audit } as Audit, 'login/finish', {
    requestId: '',
    address: '',
    face: 'http',
  });
  const req = { url: '/callback?state=x', headers: {}, cookies: {} };
  const reply = await flow.finish({ req, res: { locals: {} }, trail } as never);
  await trail.write();
  const url = new URL((reply as { redirect: string }).redirect);
  expect(url.origin + url.pathname).toBe(DESKTOP.redirectUri);
  expect(kept).toHaveLength(1);
  return { ...Object.fromEntries(url.searchParams), kept: String(kept[0]) };
}

describe('a desktop client whose sign-in cannot be recorded', () => {
  const full = () => Promise.reject(auditUnavailable(new Error('the disk is full')));
  const told = {
    error: 'temporarily_unavailable',
    error_description: expect.any(String),
    state: 'of-the-client',
    kept: 'audit_unavailable',
  };

  it('is told so, and gets no code that has no line', async () => {
    expect(await sentTo({ write: full }, async () => 'a code')).toEqual(told);
  });

  it('is issued no code where this is known before', async () => {
    const issue = () => Promise.reject(new Error('a code was issued'));
    expect(await sentTo({ ready: full }, issue)).toEqual(told);
  });

  it('is told why it was refused', async () => {
    const issue = () => Promise.reject(new SvcError('login_refused', { detail: 'no' }));
    expect(await sentTo({ write: full }, issue)).toEqual({ ...told, error: 'access_denied', kept: 'login_refused' });
  });
});
