import { Alert, Button, CloseButton, Group, Modal, SegmentedControl, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconDeviceFloppy } from '@tabler/icons-react';
import { useDeferredValue, useRef, useState, type KeyboardEvent } from 'react';
import { useStore } from 'zustand';
import { failureOf } from '../../transfer/failure.ts';
import { explainFailure } from '../api/explain-failure.ts';
import { Name } from '../names/name.tsx';
import { visibleText } from '../names/visible.ts';
import { EntryIcon } from '../objects/kind-icon.tsx';
import { baseName } from '../place/place.ts';
import { t } from '../words/words.ts';
import { CodeArea } from './code-area.tsx';
import { Conflict } from './conflict.tsx';
import type { Draft, DraftState } from './draft.ts';
import classes from './editor.module.css';
import { HINT_ID, isMarkdown } from './editor-state.ts';
import { LivePreview } from './live-preview.tsx';
import type { TextVersion } from './text-calls.ts';
import type { TextForm } from './text-file.ts';

type Properties = {
  readonly draft: Draft;
  /** Whether the user wants to leave the editor and has to decide about unsaved changes. */
  readonly isLeaving: boolean;
  readonly onLeave: () => void;
  readonly onStay: () => void;
  readonly onClose: () => void;
  readonly onTake: (theirs: TextVersion) => void;
  readonly onCopied: (key: string) => void;
};

/** The editor of a text on the whole screen, with a preview of Markdown beside it. */
export function Editor({ draft, isLeaving, onLeave, onStay, onClose, onTake, onCopied }: Properties) {
  const { key } = draft.object;
  const state = useStore(draft.state);
  const isNarrow = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });
  const hasPreview = isMarkdown(key);
  const [view, setView] = useState<'text' | 'preview' | 'both'>('both');
  const [text, setText] = useState(draft.text);
  const shown = !hasPreview ? 'text' : isNarrow && view === 'both' ? 'text' : view;
  const previewed = useDeferredValue(text);
  const isBusy = state.status === 'saving';
  const isSaved = state.status === 'clean';
  const frame = useRef<HTMLDivElement>(null);
  const stay = (): void => {
    onStay();
    frame.current?.querySelector<HTMLElement>('.cm-content')?.focus();
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 's') {
      event.preventDefault();
      void draft.save();
    }
    if (event.key !== 'Tab') event.stopPropagation();
  };
  return (
    <div ref={frame} className={classes.frame} onKeyDown={onKeyDown}>
      <header className={classes.head}>
        <EntryIcon entry={{ kind: 'file', key }} />
        <Modal.Title className={classes.name} title={visibleText(baseName(key))}>
          <Name cut>{baseName(key)}</Name>
        </Modal.Title>
        <Text size="xs" c="dimmed" role="status" className={classes.state}>
          {stateText(state)}
        </Text>
        {hasPreview && (
          <SegmentedControl
            className={classes.views}
            size="xs"
            aria-label={t('View')}
            value={shown}
            onChange={setView}
            data={[
              { value: 'text', label: t('Text') },
              ...(isNarrow ? [] : [{ value: 'both' as const, label: t('Both') }]),
              { value: 'preview', label: t('Preview') },
            ]}
          />
        )}
        <Button
          size="xs"
          leftSection={<IconDeviceFloppy size={16} />}
          loading={isBusy}
          // It keeps the focus, which a disabled button loses.
          {...((isSaved || state.status === 'conflict') && { 'data-disabled': true, 'aria-disabled': true })}
          onClick={() => void draft.save()}
          title={t('Save (Ctrl+S)')}
        >
          {t('Save')}
        </Button>
        <CloseButton aria-label={t('Close the editor')} onClick={onLeave} />
      </header>
      {isLeaving && (
        <div className={classes.notice}>
          <Alert role="alertdialog" color="yellow" title={t('Your changes are not saved yet')}>
            <Group gap="xs">
              <Button size="xs" autoFocus onClick={stay}>
                {t('Keep editing')}
              </Button>
              <Button size="xs" variant="default" color="red" onClick={onClose}>
                {t('Discard changes')}
              </Button>
            </Group>
          </Alert>
        </div>
      )}
      {state.status === 'failed' && (
        <div className={classes.notice}>
          <Alert role="alert" color="red" title={t('The file was not saved. Your text is still here.')}>
            {explainFailure(failureOf(state.error))}
          </Alert>
        </div>
      )}
      {state.status === 'conflict' ? (
        <Conflict draft={draft} theirs={state.theirs} isNarrow={isNarrow} onTake={onTake} onCopied={onCopied} />
      ) : (
        <div className={classes.panes} data-view={shown}>
          {shown !== 'preview' && <CodeArea draft={draft} onText={() => setText(draft.text)} />}
          {shown !== 'text' && (
            <section className={classes.preview} aria-label={t('Preview')} tabIndex={0}>
              <LivePreview text={previewed} object={draft.object} />
            </section>
          )}
        </div>
      )}
      <footer className={classes.foot}>
        <span>{formText(draft.version)}</span>
        {state.status !== 'conflict' && <span id={HINT_ID}>{t('Escape, then Tab, leaves the text')}</span>}
      </footer>
    </div>
  );
}

function stateText(state: DraftState): string {
  switch (state.status) {
    case 'clean':
      return t('All changes are saved');
    case 'saving':
      return t('Saving…');
    case 'changed':
    case 'failed':
    case 'conflict':
      return t('Unsaved changes');
  }
}

function formText({ hasMark, lineEnd }: TextForm): string {
  const ends = { '\n': 'LF', '\r\n': 'CRLF', '\r': 'CR', mixed: t('mixed line ends') }[lineEnd];
  return `${hasMark ? t('UTF-8 with BOM') : 'UTF-8'} · ${ends}`;
}
