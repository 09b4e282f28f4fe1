import { describe, expect, it } from '@jest/globals';
import type { PolicySetDefinition } from '../../src/policy/index/policy-set.ts';
import { SignInNotes } from '../../src/signin/sign-in-notes.ts';
import { SignInRecords } from '../../src/signin/sign-in-records.ts';
import { MemoryRecentTexts } from '../../src/state/recent-texts.ts';

const GROUPS = Array.from({ length: 1_000 }, (_, i) => `${i} ${'Ä'.repeat(600)}`);
const DEFINITION: PolicySetDefinition = {
  enabled: true,
  policies: [],
  roles: [{ name: 'r', policies: [] }],
  bindings: Array.from({ length: 200 }, () => ({ groups: GROUPS, role: 'r' })),
  localUsers: [],
};

function recordsIn(lists: ConstructorParameters<typeof SignInRecords>[0]['lists']) {
  const warnings: string[] = [];
  const records = new SignInRecords({
    lists,
    issuer: 'https://id.example',
    subjectClaim: 'sub',
    groupsClaim: 'groups',
    definition: () => DEFINITION,
    now: () => 7,
    warn: (message) => void warnings.push(message),
  });
  return { records, warnings };
}

function notesOf(claims: Readonly<Record<string, unknown>>): SignInNotes {
  const notes = new SignInNotes();
  notes.kind = 'web';
  notes.received(claims, 'sub');
  return notes;
}

describe('SignInRecords', () => {
  it('keeps at most 100 kB of a person with endless claims and groups, and says how much more there was', async () => {
    const lists = new MemoryRecentTexts();
    const { records } = recordsIn(lists);
    const notes = notesOf({
      sub: 's'.repeat(100_000),
      ...Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`${i} ${'c'.repeat(1_000)}`, 'x'])),
    });
    notes.groups = GROUPS;
    await records.keep(notes, { id: 'r', address: undefined });
    const [text] = await lists.read('sign-ins');
    expect(text!.length).toBeLessThan(100_000);
    expect((await records.read('known'))[0]).toMatchObject({ result: 'signedIn', leftOut: 4_901 + 900 + 180 });
  });

  it('keeps the latest 500, and those of nobody apart', async () => {
    const { records } = recordsIn(new MemoryRecentTexts());
    const nobody = new SignInNotes();
    nobody.kind = 'desktop';
    for (let i = 0; i < 510; i += 1) await records.keep(notesOf({ sub: `${i}` }), { id: `${i}`, address: undefined });
    for (let i = 0; i < 110; i += 1)
      await records.keep(nobody, { id: `n${i}`, address: undefined }, new Error('a secret'));
    await records.keep(new SignInNotes(), { id: 'of an unknown state', address: undefined }, new Error('x'));
    const [known, unknown] = [await records.read('known'), await records.read('unknown')];
    expect([known.length, known[0]!.subject, known.at(-1)!.subject]).toEqual([500, '509', '10']);
    expect([unknown.length, unknown[0]!.id, unknown[0]!.code]).toEqual([100, 'n109', 'internal']);
    expect(JSON.stringify(unknown)).not.toContain('secret');
  });

  it('refuses nobody when a record cannot be kept', async () => {
    const { records, warnings } = recordsIn({
      add: () => Promise.reject(new Error('gone')),
      read: () => Promise.reject(new Error('gone')),
    });
    await records.keep(notesOf({ sub: 'a' }), { id: 'r', address: undefined });
    expect(warnings).toEqual(['a sign-in could not be kept for the administration']);
  });
});
