import { expect, it } from '@jest/globals';
import { archivedText, keepingOf, lockedText } from '../../../src/web/api/keeping.ts';

const keeping = (headers: Record<string, string>) => keepingOf(new Headers(headers));
const NOW = Date.parse('2031-01-01T00:00:00Z');

it.each<[headers: Record<string, string>, text: string | undefined]>([
  [{}, undefined],
  [{ 'x-amz-storage-class': 'GLACIER_IR' }, undefined],
  [{ 'x-amz-storage-class': 'GLACIER' }, 'in the archive'],
  [{ 'x-amz-storage-class': 'DEEP_ARCHIVE', 'x-amz-restore': 'ongoing-request="true"' }, 'is being brought back'],
  [{ 'x-amz-storage-class': 'DEEP_ARCHIVE', 'x-amz-restore': 'ongoing-request="false", expiry-date="x"' }, undefined],
])('an object with %j cannot be read if it is in an archive', (headers, text) => {
  const told = archivedText(keeping(headers));
  if (text === undefined) expect(told).toBeUndefined();
  else expect(told).toContain(text);
});

it.each<[headers: Record<string, string>, text: string | undefined]>([
  [{}, undefined],
  [{ 'x-amz-object-lock-legal-hold': 'OFF' }, undefined],
  [{ 'x-amz-object-lock-legal-hold': 'ON' }, 'legal hold'],
  [{ 'x-amz-object-lock-retain-until-date': '2030-12-31T00:00:00Z' }, undefined],
  [{ 'x-amz-object-lock-retain-until-date': '2031-12-31T00:00:00Z' }, 'locked until'],
  [{ 'x-amz-object-lock-retain-until-date': 'later' }, undefined],
])('a version with %j cannot be deleted for ever if a lock prevents it', (headers, text) => {
  const told = lockedText(keeping(headers), NOW);
  if (text === undefined) expect(told).toBeUndefined();
  else expect(told).toContain(text);
});
