import { formatExactTime } from '../format/format.ts';
import { t } from '../words/words.ts';

/** How storage keeps an object or a version, as far as it says so. */
export type Keeping = {
  readonly storageClass: string | undefined;
  /** `x-amz-restore`: whether an archived object is being brought back, or until when it can be read. */
  readonly restore: string | undefined;
  readonly lockMode: string | undefined;
  readonly lockedUntil: Date | undefined;
  readonly legalHold: boolean;
};

const ARCHIVES: readonly (string | undefined)[] = ['GLACIER', 'DEEP_ARCHIVE'];

export function keepingOf(headers: Headers): Keeping {
  const until = new Date(headers.get('x-amz-object-lock-retain-until-date') ?? '');
  return {
    storageClass: headers.get('x-amz-storage-class') ?? undefined,
    restore: headers.get('x-amz-restore') ?? undefined,
    lockMode: headers.get('x-amz-object-lock-mode') ?? undefined,
    lockedUntil: Number.isNaN(until.getTime()) ? undefined : until,
    legalHold: headers.get('x-amz-object-lock-legal-hold') === 'ON',
  };
}

/** Whether an object is in an archive, or is being brought back from there; undefined if it can be read. */
export function archiveState({ storageClass, restore = '' }: Keeping): 'archived' | 'coming back' | undefined {
  if (!ARCHIVES.includes(storageClass) || restore.includes('ongoing-request="false"')) return undefined;
  return restore.includes('ongoing-request="true"') ? 'coming back' : 'archived';
}

/** Why an archived object cannot be read, or undefined if it can. */
export function archivedText(keeping: Keeping): string | undefined {
  const state = archiveState(keeping);
  if (state === undefined) return undefined;
  return state === 'coming back'
    ? t('This file is being brought back from the archive of the storage. Try again later.')
    : t('This file is in the archive of the storage. It must be brought back from there before it can be opened.');
}

/** Why a version cannot be deleted for ever, or undefined if no lock prevents it. @param now - milliseconds since the epoch. */
export function lockedText({ lockedUntil, legalHold }: Keeping, now: number): string | undefined {
  if (legalHold) return t('There is a legal hold on this version. It cannot be deleted for ever until the hold ends.');
  if (lockedUntil === undefined || lockedUntil.getTime() <= now) return undefined;
  return t('This version is locked until {time}. It cannot be deleted for ever before.', {
    time: formatExactTime(lockedUntil.toISOString()),
  });
}
