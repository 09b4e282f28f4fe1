import { afterEach, describe, expect, it } from '@jest/globals';
import { explainFailure, explainToOperator, explainWaiting } from '../../../src/web/api/explain-failure.ts';

const refused = {
  code: 'storage_unavailable',
  detail: 'storage provider `main` refuses the signature; check `credentials.secret_access_key` and `region`',
};

afterEach(() => explainToOperator(false));

describe('explainFailure', () => {
  it('tells people what happened, without what an operator has to do', () => {
    expect(explainFailure(refused)).toBe(
      'Storage provider “main” refuses the signature. Try again in a moment. If the problem persists, tell an administrator of this service.',
    );
    expect(
      explainFailure({
        code: 'api_key_capacity',
        detail: 'you have 32 API keys; revoke one, or ask an administrator to raise `auth.api_keys.per_subject`',
      }),
    ).toBe('You have 32 API keys. Revoke a key that is no longer needed.');
  });

  it('tells an administrator all of it', () => {
    explainToOperator(true);
    expect(explainFailure(refused)).toContain('check “credentials.secret_access_key” and “region”');
  });

  it('keeps what people can do themselves', () => {
    expect(
      explainFailure({
        code: 'conflict',
        detail: 'the source changed while it was copied, and was left as it is; try again',
      }),
    ).toBe('The source changed while it was copied, and was left as it is; try again.');
  });

  it('shows what cannot be seen in a name', () => {
    expect(explainFailure({ code: 'conflict', detail: 'A folder named “a\u202Eb” exists already.' })).toBe(
      'A folder named “a⟨U+202E⟩b” exists already.',
    );
  });

  it('adds no instruction to a message that has one after a semicolon', () => {
    const detail = 'you have 64 transfers under way; wait until one of them ends';
    expect(explainFailure({ code: 'rate_limited', detail })).toBe(
      'You have 64 transfers under way; wait until one of them ends.',
    );
    expect(explainFailure({ code: 'rate_limited', detail: 'too many sign-ins from this address' })).toBe(
      'Too many sign-ins from this address. Wait a moment, then try again.',
    );
  });
});

describe('explainWaiting', () => {
  it('says what is waited for, and no instruction', () => {
    expect(explainWaiting({ code: 'overloaded', detail: 'too many people use the service at once' })).toBe(
      'Waiting · the service is busy',
    );
    expect(explainWaiting({ code: 'internal', detail: 'something went wrong' })).toBe(
      'Trying again · Something went wrong.',
    );
  });
});
