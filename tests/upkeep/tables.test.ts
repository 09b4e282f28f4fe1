import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Tally, type KeptRow } from '../../src/upkeep/tables.ts';

/** As the first version that wrote dumps had them. */
const FIRST = {
  digest: 'd',
  id: 'i',
  kind: 'web',
  issuer: 'https://id.example',
  subject: 's',
  groups: '[]',
  name: 'n',
  id_token: 't',
  started_at: 1,
  expires_at: 2,
  address: null,
  last_used_at: null,
};
const sumOf = (row: KeptRow) => {
  const tally = new Tally('sessions');
  tally.add([row]);
  return tally.summary.digest;
};

describe('Tally', () => {
  it('gives a session without later columns the sum that older dumps promise', () => {
    const promised = createHash('sha256')
      .update(`${JSON.stringify(Object.values(FIRST))}\n`)
      .digest('hex');
    expect(sumOf(FIRST)).toBe(promised);
    expect(sumOf({ ...FIRST, login_sub: null, login_sid: null })).toBe(promised);
  });

  it('counts what later columns hold', () => {
    const sums = [
      FIRST,
      { ...FIRST, login_sub: 'a' },
      { ...FIRST, login_sub: 'a', login_sid: 'b' },
      { ...FIRST, login_sid: 'a' },
    ].map(sumOf);
    expect(new Set(sums).size).toBe(4);
  });
});
