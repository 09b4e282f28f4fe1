import { describe, expect, it } from '@jest/globals';
import { operations as ofTheService } from '../../../src/audit/operations.ts';
import { operationText, operations } from '../../../src/web/activity/operation.ts';

describe('operationText', () => {
  it('has words for each operation of the service, and for no other', () => {
    expect(
      operations()
        .map(({ value }) => value)
        .sort(),
    ).toEqual(Object.keys(ofTheService).sort());
  });

  it('leaves the name of an operation that it does not know', () => {
    expect(operationText('object/delete')).toBe('Delete');
    expect(operationText('object/unknown')).toBe('object/unknown');
  });
});
