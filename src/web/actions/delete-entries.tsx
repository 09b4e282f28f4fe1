import { List, Text } from '@mantine/core';
import { IconFile, IconFolder } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { formatBytes } from '../../format/byte-size.ts';
import { refreshListing } from '../api/queries.ts';
import { tellGone } from '../objects/gone.ts';
import { doneIn, isComplete } from '../work/task-board.ts';
import { Name } from '../names/name.tsx';
import { useEntryPermissions, useRowActions } from '../permissions/entry-permissions.ts';
import { plural, t } from '../words/words.ts';
import { bucketInfoQuery, type BucketInfo } from '../api/version-calls.ts';
import { offerUndelete } from './undelete.ts';
import { tasks } from '../work/work.ts';
import { NEEDED_TO_UNDELETE, type Selection, type Surroundings } from './action.ts';
import { CountedBeneath } from './counted-beneath.tsx';
import { deleteObjects } from './delete-objects.ts';
import { DialogForm, openDialog } from './dialog.tsx';
import { LeftOut } from './left-out.tsx';
import { naming } from './naming.ts';
import { withRetries } from '../../transfer/retry.ts';
import { countBeneath, NOTHING, type Count } from './count-beneath.ts';
import type { BucketRef } from '../api/object-calls.ts';
import { useGrowing, type Growing } from './use-growing.ts';

const SHOWN = 8;
const RETRIES = 2;

export function openDelete(selection: Selection, around: Surroundings): void {
  openDialog(t('Delete {what}?', { what: naming(selection.entries) }), (close) => (
    <Delete selection={selection} around={around} close={close} />
  ));
}

function Delete({ selection, around, close }: { selection: Selection; around: Surroundings; close: () => void }) {
  const { place, entries } = selection;
  const rest = entries.length - SHOWN;
  const folders = entries.filter(({ kind }) => kind === 'folder').map(({ key }) => key);
  const { data: info, isLoading } = useQuery(bucketInfoQuery(place));
  const pages = new Set(entries.flatMap((entry) => (entry.kind === 'file' && entry.page) || []));
  const permissions = useEntryPermissions(place, entries, useRowActions(place, [...pages]));
  const mayRestore = entries.every((entry) => permissions.mayAll(entry, NEEDED_TO_UNDELETE));
  const { stop, ...counting } = useCount(place, folders);

  async function submit(): Promise<void> {
    around.clearSelection();
    const what = { what: naming(entries) };
    void tasks
      .run(deleteObjects(place, entries, { title: t('Deleting {what}', what), doneTitle: t('Deleted {what}', what) }))
      .then(async (ended) => {
        const deleted = doneIn(ended);
        tellGone(place, [...deleted, ...(isComplete(ended) ? entries.map(({ key }) => key) : [])]);
        await refreshListing(around.queryClient, place);
        await offerUndelete(ended.title, place, deleted, around.queryClient).catch(() => undefined);
      });
  }

  return (
    <DialogForm
      submitLabel={t('Delete')}
      destructive
      close={close}
      submit={submit}
      disabled={counting.state === 'counting'}
    >
      <LeftOut {...selection} />
      <List spacing={6} size="sm" style={{ overflowWrap: 'anywhere' }}>
        {entries.slice(0, SHOWN).map((entry) => (
          <List.Item
            key={entry.key}
            icon={entry.kind === 'folder' ? <IconFolder size={18} color="var(--svc-folder)" /> : <IconFile size={18} />}
          >
            <Name>{entry.name}</Name>{' '}
            {entry.kind === 'file' && (
              <Text span inherit c="dimmed" ml={6}>
                {formatBytes(entry.size)}
              </Text>
            )}
          </List.Item>
        ))}
      </List>
      {rest > 0 && <Text size="sm">{t('and {count} more', { count: rest })}</Text>}
      {folders.length > 0 && <CountedBeneath counting={counting} onSkip={stop} />}
      <Text size="sm" c="dimmed">
        {isLoading || permissions.pending ? t('Looking for what the bucket keeps…') : keptText(info, mayRestore)}
      </Text>
    </DialogForm>
  );
}

/** What the bucket keeps of deleted objects, and who can bring it back. @param info - undefined when storage does not tell. */
function keptText(info: BucketInfo | undefined, mayRestore: boolean): string {
  switch (info?.versioning) {
    case 'enabled':
      if (!mayRestore)
        return info.kept_days === null
          ? t('Your administrator can bring it back for as long as the bucket keeps versions.')
          : plural(
              info.kept_days,
              'Your administrator can bring it back for as long as the bucket keeps versions: {count} day.',
              'Your administrator can bring it back for as long as the bucket keeps versions: {count} days.',
            );
      return info.kept_days === null
        ? t('It can be brought back for as long as the bucket keeps versions.')
        : plural(
            info.kept_days,
            'It can be brought back for as long as the bucket keeps versions: {count} day.',
            'It can be brought back for as long as the bucket keeps versions: {count} days.',
          );
    case 'suspended':
      return t(
        'The bucket keeps only old versions. What was written since it stopped keeping new ones is gone for ever.',
      );
    case 'never':
      return t('The bucket keeps no versions, so this is final.');
    default:
      return t('It is unknown whether the bucket keeps versions, so this may be final.');
  }
}

/** Counts the objects beneath prefixes while the component is shown. */
function useCount(bucket: BucketRef, prefixes: readonly string[]): Growing<Count> & { readonly stop: () => void } {
  return useGrowing({ value: NOTHING, state: prefixes.length === 0 ? 'counted' : 'counting' }, (signal) =>
    countBeneath(bucket, prefixes, {
      signal,
      attempt: (request) => withRetries(request, { retries: RETRIES, signal }),
    }),
  );
}
