import { describe, expect, it } from '@jest/globals';
import { looksIn } from '../../../src/web/admin/audit-looks.ts';
import type { AuditEntry } from '../../../src/web/admin/records.ts';

const BEGIN = Date.parse('2026-05-04T08:00:00Z');

/** A read of `key`, some seconds after the others began. */
function read(seconds: number, key: string, members: Partial<AuditEntry> = {}): AuditEntry {
  return {
    time: new Date(BEGIN + seconds * 1_000).toISOString(),
    seq: seconds,
    instance: 'one',
    operation: 'object/read',
    outcome: 'done',
    changes: false,
    issuer: 'https://id.example',
    subject: 'eve',
    name: 'Eve',
    via: 'session',
    face: 'http',
    request_id: '',
    resources: [{ resource: `main/files/${key}`, provider: 'main', bucket: 'files', key }],
    ...members,
  };
}

const sizes = (...entries: AuditEntry[]) => looksIn(entries).map(({ length }) => length);

describe('looksIn', () => {
  it.each<[string, AuditEntry[], number[]]>([
    ['reads of one place', [read(50, 'a/3'), read(20, 'a/2'), read(0, 'a/1')], [3]],
    ['reads of one second at different places', [read(1, 'b/1'), read(0, 'a/1')], [2]],
    ['reads at different places', [read(2, 'b/1'), read(0, 'a/1')], [1, 1]],
    ['reads of one place an hour apart', [read(3_600, 'a/1'), read(0, 'a/1')], [1, 1]],
    ['reads of two people', [read(0, 'a/1'), read(0, 'a/1', { subject: 'dan' })], [1, 1]],
    ['a denied read', [read(0, 'a/1'), read(0, 'a/2', { outcome: 'denied' }), read(0, 'a/3')], [1, 1, 1]],
    ['changes', [read(0, 'a/1', { changes: true }), read(0, 'a/2', { changes: true })], [1, 1]],
    [
      'a listing and what is in it',
      [
        read(30, 'a/1'),
        read(0, '', { resources: [{ resource: 'main/files/a/', provider: 'main', bucket: 'files', prefix: 'a/' }] }),
      ],
      [2],
    ],
  ])('counts %s', (_what, entries, expected) => {
    expect(sizes(...entries)).toEqual(expected);
  });
});
