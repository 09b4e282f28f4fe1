import { expect, it } from '@jest/globals';
import { apiErrorOf, errorOfBody, unlessGone } from '../../../src/web/api/api-error.ts';

it('a refusal names no action and no policy in what people read', () => {
  const problem = {
    type: 'urn:svc:problem:access_denied',
    code: 'access_denied',
    detail: 'no policy of yours allows `objects:write` here; ask an administrator if you need it',
    action: 'objects:write',
    request_id: 'r',
  };
  expect(errorOfBody(403, JSON.stringify(problem))).toMatchObject({
    message: 'You may not do this.',
    problem: { action: 'objects:write' },
  });
});

it.each([
  [
    'the service',
    '{"type":"urn:svc:problem:not_found","code":"not_found","title":"There is no such object"}',
    undefined,
  ],
  ['a proxy, which has no body', '', 'not_found'],
])('what is deleted is gone when %s answers 404', async (_name, body, code) => {
  const ended = unlessGone(Promise.reject(errorOfBody(404, body)));
  await expect(ended.catch((error: unknown) => apiErrorOf(error).code)).resolves.toBe(code);
});
