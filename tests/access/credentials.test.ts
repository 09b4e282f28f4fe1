import { expect, it } from '@jest/globals';
import { bearerOf, sessionCookieOf } from '../../src/access/credentials.ts';

it('a cookie counts right after a request with two of them was refused', () => {
  const doubled = { cookie: `svc_session=${'a'.repeat(80)}; svc_session=${'b'.repeat(80)}` };
  for (let i = 0; i < 3; i += 1) {
    expect(sessionCookieOf(doubled)).toBeUndefined();
    expect(sessionCookieOf({ cookie: 'svc_session=mine' })).toBe('mine');
  }
});

it.each([
  ['svc_session=mine', 'mine'],
  ['a=b;\tsvc_session= s%3Amine ;c=d', 's:mine'],
  ['not_svc_session=x; svc_session2=y', undefined],
  ['svc_session=%E0%A4%A', undefined],
  [undefined, undefined],
])('the session cookie of `%s` is %s', (cookie, value) => {
  expect(sessionCookieOf({ cookie })).toBe(value);
});

it.each([
  ['Bearer mine', 'mine'],
  ['bEARER  mine ', 'mine'],
  ['Basic mine', undefined],
  ['x Bearer mine', undefined],
  ['Bearermine', undefined],
  [undefined, undefined],
])('the bearer credential of `%s` is %s', (authorization, value) => {
  expect(bearerOf({ authorization })).toBe(value);
});
