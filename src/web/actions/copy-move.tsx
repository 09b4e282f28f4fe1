import { Text } from '@mantine/core';
import { useState } from 'react';
import { inSentence } from '../names/visible.ts';
import { useFolderPermissions } from '../permissions/use-permissions.ts';
import { folderOf, type Place } from '../place/place.ts';
import { t } from '../words/words.ts';
import type { Selection, Surroundings } from './action.ts';
import { DialogForm, openDialog } from './dialog.tsx';
import { LeftOut } from './left-out.tsx';
import { FolderPicker } from './folder-picker.tsx';
import type { PickedPlace } from './folder-rows.tsx';
import { faultOfTarget, putIntoFolder } from './into-folder.ts';
import { naming } from './naming.ts';

export function openCopy(selection: Selection, around: Surroundings): void {
  openDialog(
    t('Copy {what} to…', { what: naming(selection.entries) }),
    (close) => <CopyMove selection={selection} around={around} close={close} move={false} />,
    'lg',
  );
}

export function openMove(selection: Selection, around: Surroundings): void {
  openDialog(
    t('Move {what} to…', { what: naming(selection.entries) }),
    (close) => <CopyMove selection={selection} around={around} close={close} move />,
    'lg',
  );
}

function CopyMove({
  selection,
  around,
  close,
  move,
}: {
  selection: Selection;
  around: Surroundings;
  close: () => void;
  move: boolean;
}) {
  const { place } = selection;
  const [picked, setPicked] = useState<PickedPlace>({ ...place, prefix: folderOf(place.prefix) });
  const target =
    picked.provider !== undefined && picked.bucket !== undefined
      ? { provider: picked.provider, bucket: picked.bucket, prefix: picked.prefix }
      : undefined;

  async function submit(): Promise<void> {
    if (target) void putIntoFolder(selection, target, move, around);
  }

  return (
    <CopyMoveForm selection={selection} target={target} move={move} close={close} submit={submit}>
      <FolderPicker picked={picked} onPick={setPicked} />
    </CopyMoveForm>
  );
}

type FormProps = {
  selection: Selection;
  target: Place | undefined;
  move: boolean;
  close: () => void;
  submit: () => Promise<void>;
  children: React.ReactNode;
};

function CopyMoveForm({ selection, target, move, close, submit, children }: FormProps) {
  const fault = target && faultOfTarget(selection, target);
  return (
    <TargetPermission target={target}>
      {(mayWrite) => (
        <DialogForm
          submitLabel={move ? t('Move here') : t('Copy here')}
          close={close}
          submit={submit}
          disabled={!target || fault !== undefined || !mayWrite}
        >
          <LeftOut {...selection} />
          {children}
          <Text size="sm" c={!target || mayWrite ? 'dimmed' : 'red'} role="status" style={{ overflowWrap: 'anywhere' }}>
            {target
              ? (fault ??
                (mayWrite
                  ? t('To {provider} / {bucket} / {prefix}', {
                      provider: target.provider,
                      bucket: target.bucket,
                      prefix: inSentence(target.prefix),
                    })
                  : t('You may not add files to this folder. Choose another one.')))
              : t('Choose a bucket.')}
          </Text>
        </DialogForm>
      )}
    </TargetPermission>
  );
}

function TargetPermission({
  target,
  children,
}: {
  target: Place | undefined;
  children: (mayWrite: boolean) => React.ReactNode;
}) {
  return target ? <AskedPermission target={target}>{children}</AskedPermission> : children(false);
}

function AskedPermission({ target, children }: { target: Place; children: (mayWrite: boolean) => React.ReactNode }) {
  const { mayHere, pending } = useFolderPermissions(target);
  return children(pending || mayHere('objects:write'));
}
