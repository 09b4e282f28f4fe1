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
    ['nothing that only began', line({ kind: 'intent', outcome: undefined }), ANY, false],
    ['no line about the chain itself', Buffer.from('{"seq":1,"kind":"start"}'), ANY, false],
    ['nothing that is no line', Buffer.from('{'), ANY, false],
  ])('gives %s', (_what, bytes, only, wanted) => {
    expect(isWanted(bytes, only)).toBe(wanted);
  });
});
