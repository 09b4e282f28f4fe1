import { Button, CloseButton, Modal, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconFileOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { KeyboardEvent } from 'react';
import { apiErrorOf } from '../api/api-error.ts';
import type { ObjectRef } from '../api/object-calls.ts';
import { Name } from '../names/name.tsx';
import { visibleText } from '../names/visible.ts';
import { EntryIcon } from '../objects/kind-icon.tsx';
import { closeModal, openModal } from '../parts/dialogs.tsx';
import { baseName } from '../place/place.ts';
import { PreviewLoading } from '../preview/preview-states.tsx';
import { EmptyState, ErrorState } from '../shell/states.tsx';
import { t } from '../words/words.ts';
import { ConflictView } from './conflict-view.tsx';
import classes from './editor.module.css';
import { readText } from './text-calls.ts';
import { WHOLE_SCREEN } from './whole-screen.ts';

const MODAL = 'compare';

type Properties = {
  readonly object: ObjectRef;
  readonly version: string;
  /** The time of the version, for display. */
  readonly when: string;
};

/** Shows an old version of a text beside the current one, on the whole screen. */
export function openCompare(properties: Properties): void {
  void openModal({ ...WHOLE_SCREEN, modalId: MODAL, children: <Compare {...properties} /> });
}

function Compare({ object, version, when }: Properties) {
  const isNarrow = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });
  const read = useQuery({
    queryKey: ['compared-texts', object, version],
    queryFn: async ({ signal }) => {
      const [old, current] = await Promise.all([readText(object, { version, signal }), readText(object, { signal })]);
      return { old: old.text, current: current.text };
    },
    gcTime: 0,
    staleTime: Infinity,
    retry: false,
  });
  const name = visibleText(baseName(object.key));
  const close = (): void => closeModal(MODAL);
  /** Keys are not those of the page behind. */
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Tab') return;
    event.stopPropagation();
    if (event.key === 'Escape') close();
  };
  return (
    <div className={classes.frame} onKeyDown={onKeyDown}>
      <header className={classes.head}>
        <EntryIcon entry={{ kind: 'file', key: object.key }} />
        <Modal.Title className={classes.name} title={name}>
          <Name cut>{baseName(object.key)}</Name>
        </Modal.Title>
        <Text size="xs" c="dimmed" className={classes.state}>
          {read.data !== undefined && read.data.old === read.data.current && t('Both versions have the same text.')}
        </Text>
        <CloseButton aria-label={t('Close the comparison')} onClick={close} />
      </header>
      {read.isPending && <PreviewLoading />}
      {read.error !== null &&
        (apiErrorOf(read.error).code === 'not_editable' ? (
          <EmptyState
            icon={IconFileOff}
            title={t('These versions cannot be compared here')}
            live="assertive"
            action={<Button onClick={close}>{t('Close the comparison')}</Button>}
          >
            {t('Only text in UTF-8 of up to 1 MiB can be compared here. Download both to compare them.')}
          </EmptyState>
        ) : (
          <ErrorState error={read.error} onRetry={() => void read.refetch()} />
        ))}
      {read.data !== undefined && (
        <>
          <div className={classes.sides} aria-hidden>
            {isNarrow ? (
              <span>
                {t('Red: only in the version of {time}. Green: only in the current version.', { time: when })}
              </span>
            ) : (
              <>
                <span>{t('Version of {time}', { time: when })}</span>
                <span>{t('Current version')}</span>
              </>
            )}
          </div>
          <ConflictView
            objectKey={object.key}
            mine={read.data.current}
            theirs={read.data.old}
            labels={{
              mine: t('Current version of {name}', { name }),
              theirs: t('Version of {name} of {time}', { name, time: when }),
            }}
            isNarrow={isNarrow}
          />
        </>
      )}
    </div>
  );
}
