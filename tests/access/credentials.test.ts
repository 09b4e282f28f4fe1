import { expect, it } from '@jest/globals';
import { sessionCookieOf } from '../../src/access/credentials.ts';

it('a cookie counts right after a request with two of them was refused', () => {
  const doubled = { cookie: `svc_session=${'a'.repeat(80)}; svc_session=${'b'.repeat(80)}` };
  for (let i = 0; i < 3; i += 1) {
    expect(sessionCookieOf(doubled)).toBeUndefined();
    expect(sessionCookieOf({ cookie: 'svc_session=mine' })).toBe('mine');
  }
});
