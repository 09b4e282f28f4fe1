import { Button, CloseButton, Modal } from '@mantine/core';
import { IconFileOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useStore } from 'zustand';
import { apiErrorOf } from '../api/api-error.ts';
import { Name } from '../names/name.tsx';
import { EntryIcon } from '../objects/kind-icon.tsx';
import { baseName } from '../place/place.ts';
import { Failure } from '../preview/failure.tsx';
import { PreviewLoading } from '../preview/preview-states.tsx';
import { EmptyState } from '../shell/states.tsx';
import { t } from '../words/words.ts';
import type { Editing } from './editing.ts';
import { Editor } from './editor.tsx';
import classes from './editor.module.css';
import { readText } from './text-calls.ts';

/** The dialog of the editor. It reads the object first, and says why when that cannot be edited. */
export function EditorDialog({ editing }: { editing: Editing }) {
  const { draft, isLeaving } = useStore(editing.view);
  const { object } = editing;
  useEffect(() => {
    editing.shown(true);
    return () => editing.shown(false);
  }, [editing]);
  const read = useQuery({
    queryKey: ['edited-text', object],
    queryFn: ({ signal }) => readText(object, { signal }),
    enabled: draft === undefined,
    gcTime: 0,
    staleTime: Infinity,
    retry: false,
  });
  useEffect(() => {
    if (read.data !== undefined) editing.begin(read.data);
  }, [read.data, editing]);
  if (draft !== undefined)
    return (
      <Editor
        draft={draft}
        isLeaving={isLeaving}
        onLeave={() => editing.leave()}
        onStay={() => editing.stay()}
        onClose={() => editing.close()}
        onTake={(theirs) => editing.take(theirs)}
        onCopied={(key) => editing.copied(key)}
      />
    );
  return (
    <div className={classes.frame}>
      <header className={classes.head}>
        <EntryIcon entry={{ kind: 'file', key: object.key }} />
        <Modal.Title className={classes.name}>
          <Name cut>{baseName(object.key)}</Name>
        </Modal.Title>
        <CloseButton ml="auto" aria-label={t('Close the editor')} onClick={() => editing.close()} />
      </header>
      {read.error === null ? (
        <PreviewLoading />
      ) : apiErrorOf(read.error).code === 'not_editable' ? (
        <EmptyState
          icon={IconFileOff}
          title={t('This file cannot be edited here')}
          live="assertive"
          action={<Button onClick={() => editing.close()}>{t('Close the editor')}</Button>}
        >
          {apiErrorOf(read.error).message}
        </EmptyState>
      ) : (
        <Failure object={object} error={read.error} onRetry={() => void read.refetch()} />
      )}
    </div>
  );
}
