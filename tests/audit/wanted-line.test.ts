import { describe, expect, it } from '@jest/globals';
import { isWanted } from '../../src/audit/sink/wanted-line.ts';

const line = (more: object = {}, resource: object = {}) =>
  Buffer.from(
    JSON.stringify({
      seq: 1,
      kind: 'outcome',
      time: '2026-01-01T00:00:00.000Z',
      operation: 'object/write',
      outcome: 'done',
      resources: [{ provider: 'main', bucket: 'media', key: 'incoming/a', action: 'objects:write', ...resource }],
      ...more,
    }),
  );
const ANY = { operations: undefined, outcomes: undefined, places: undefined };
const ARRIVED = { operations: ['object/write'], outcomes: ['done'], places: ['main/media/incoming/'] };

describe('isWanted', () => {
  it.each<readonly [what: string, bytes: Buffer, only: Parameters<typeof isWanted>[1], wanted: boolean]>([
    ['what matches each member', line(), ARRIVED, true],
    ['any outcome, without members', line({ operation: 'object/list', outcome: 'denied' }), ANY, true],
    ['no other operation', line({ operation: 'object/read' }), ARRIVED, false],
    ['no other outcome', line({ outcome: 'denied' }), ARRIVED, false],
    ['no other place', line({}, { key: 'private/a' }), ARRIVED, false],
    ['no place of another bucket', line({}, { bucket: 'other' }), ARRIVED, false],
    [
      'no bucket whose name begins alike',
      line({}, { bucket: 'media-private' }),
      { ...ANY, places: ['main/media'] },
      false,
    ],
    ['no provider whose name begins alike', line({}, { provider: 'main2' }), { ...ANY, places: ['main'] }, false],
    ['what is in a bucket', line(), { ...ANY, places: ['main/media'] }, true],
    ['what is in a provider', line(), { ...ANY, places: ['main'] }, true],
    ['what is about the bucket itself', line({}, { key: undefined }), { ...ANY, places: ['main/media'] }, true],
    [
      'an archive of a folder around the place',
      line({}, { key: undefined, prefix: '' }),
      { ...ARRIVED, operations: ['object/write'] },
      true,
    ],
    ['no archive of a folder beside the place', line({}, { key: undefined, prefix: 'inc/' }), ARRIVED, false],
    ['no object whose name is the beginning of the place', line({}, { key: 'incoming' }), ARRIVED, false],
    ['nothing that only began', line({ kind: 'intent', outcome: undefined }), ANY, false],
    ['no line about the chain itself', Buffer.from('{"seq":1,"kind":"start"}'), ANY, false],
    ['nothing that is no line', Buffer.from('{'), ANY, false],
  ])('gives %s', (_what, bytes, only, wanted) => {
    expect(isWanted(bytes, only)).toBe(wanted);
  });
});
