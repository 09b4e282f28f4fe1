import { Text } from '@mantine/core';
import { DialogForm, openDialog } from '../actions/dialog.tsx';
import type { ObjectRef } from '../api/object-calls.ts';
import { formatSecond } from '../format/format.ts';
import { Name } from '../names/name.tsx';
import { baseName } from '../place/place.ts';
import { rich } from '../words/rich.ts';
import { t } from '../words/words.ts';
import { purgeVersion, type Version } from '../api/version-calls.ts';

/** Asks before it deletes a version for ever. @param onPurged - the dialog stays open until it resolves. */
export function openPurge(object: ObjectRef, version: Version, onPurged: () => Promise<void>): void {
  const values = { name: <Name>{baseName(object.key)}</Name>, time: formatSecond(version.last_modified) };
  openDialog(t('Delete this version for ever?'), (close) => (
    <DialogForm
      submitLabel={t('Delete for ever')}
      destructive
      close={close}
      submit={async () => {
        await purgeVersion(object, version.version);
        await onPurged();
      }}
    >
      <Text>
        {version.is_delete_marker
          ? rich('The deletion of {name} of {time} will be removed. If it is the newest, the file comes back.', values)
          : rich('The version of {name} of {time} will be deleted. This cannot be undone by anybody.', values)}
      </Text>
    </DialogForm>
  ));
}
