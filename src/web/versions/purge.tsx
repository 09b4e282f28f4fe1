import { Alert, Text } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { DialogForm, openDialog } from '../actions/dialog.tsx';
import { versionHeadQuery } from '../api/head-query.ts';
import type { ObjectRef } from '../api/object-calls.ts';
import { formatSecond } from '../format/format.ts';
import { Name } from '../names/name.tsx';
import { lockedText } from '../api/keeping.ts';
import { baseName } from '../place/place.ts';
import { rich } from '../words/rich.ts';
import { t } from '../words/words.ts';
import { purgeVersion, type Version } from '../api/version-calls.ts';

/** Asks before it deletes a version for ever. @param onPurged - the dialog stays open until it resolves. */
export function openPurge(object: ObjectRef, version: Version, onPurged: () => Promise<void>): void {
  openDialog(t('Delete this version for ever?'), (close) => (
    <Purge object={object} version={version} onPurged={onPurged} close={close} />
  ));
}

function Purge({
  object,
  version,
  onPurged,
  close,
}: {
  object: ObjectRef;
  version: Version;
  onPurged: () => Promise<void>;
  close: () => void;
}) {
  const values = { name: <Name>{baseName(object.key)}</Name>, time: formatSecond(version.last_modified) };
  // A version that may not be read may be locked as well; storage refuses then.
  const { data: head } = useQuery({ ...versionHeadQuery(object, version.version), enabled: !version.is_delete_marker });
  const [now] = useState(() => Date.now());
  const locked = head && lockedText(head.keeping, now);
  return (
    <DialogForm
      submitLabel={t('Delete for ever')}
      destructive
      disabled={locked !== undefined}
      close={close}
      submit={async () => {
        await purgeVersion(object, version);
        await onPurged();
      }}
    >
      {locked === undefined ? (
        <Text>
          {version.is_delete_marker
            ? rich(
                'The deletion of {name} of {time} will be removed. If it is the newest, the file comes back.',
                values,
              )
            : rich('The version of {name} of {time} will be deleted. This cannot be undone by anybody.', values)}
        </Text>
      ) : (
        <Alert role="status" color="orange" icon={<IconLock size={18} />}>
          {locked}
        </Alert>
      )}
    </DialogForm>
  );
}
