import { expect, it } from '@jest/globals';
import { errorOfBody } from '../../../src/web/api/api-error.ts';

it('a refusal names no action and no policy in what people read', () => {
  const problem = {
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
