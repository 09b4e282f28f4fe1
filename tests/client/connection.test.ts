import { expect, it } from '@jest/globals';
import { isChange } from '../../src/audit/operations.ts';
import { QUESTION } from '../../src/client/connection.ts';
import { RPC_METHODS } from '../../src/wire/rpc.ts';

it('a method that may be asked once more changes nothing', () => {
  const questions = [...RPC_METHODS].filter((method) => QUESTION.test(method));
  expect(questions).toEqual(expect.arrayContaining(['object/list', 'object/head', 'bucket/info']));
  expect(questions.filter(isChange)).toEqual([]);
});
