import { Alert, Button, Group, Text } from '@mantine/core';
import { IconAlertTriangle, IconArrowsDiff } from '@tabler/icons-react';
import { Suspense, useEffect, useRef, useState } from 'react';
import { failureOf } from '../../transfer/failure.ts';
import type { ApiError } from '../api/api-error.ts';
import { explainFailure } from '../api/explain-failure.ts';
import { formatExactTime } from '../format/format.ts';
import { visibleText } from '../names/visible.ts';
import { Boundary } from '../parts/boundary.tsx';
import { lazyPart } from '../parts/part.ts';
import { baseName } from '../place/place.ts';
import { PreviewLoading } from '../preview/preview-states.tsx';
import { t } from '../words/words.ts';
import type { Draft } from './draft.ts';
import classes from './editor.module.css';
import type { TextVersion } from './text-calls.ts';

const ConflictView = lazyPart(() => import('./conflict-view.tsx').then((module) => module.ConflictView));

type Properties = {
  readonly draft: Draft;
  readonly theirs: TextVersion | ApiError | undefined;
  readonly isNarrow: boolean;
  readonly onTake: (theirs: TextVersion) => void;
  readonly onCopied: (key: string) => void;
};

/** Both versions of a text that somebody else has changed or deleted in the meantime. Nothing is overwritten without a second look. */
export function Conflict({ draft, theirs, isNarrow, onTake, onCopied }: Properties) {
  const [isSure, setSure] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [isWorking, setWorking] = useState(false);
  const notice = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The text has gone. What is still typed chooses none of the buttons.
    if (document.activeElement === document.body) notice.current?.focus();
  }, []);
  const version = theirs !== undefined && 'etag' in theirs ? theirs : undefined;
  const isGone = theirs === undefined;
  const name = visibleText(baseName(draft.object.key));
  const keep = async (): Promise<void> => {
    setWorking(true);
    try {
      onCopied(await draft.keepAsCopy());
    } catch (thrown) {
      setProblem(explainFailure(failureOf(thrown)));
      setWorking(false);
    }
  };
  return (
    <>
      <div ref={notice} className={classes.notice} tabIndex={-1}>
        <Alert
          role="alert"
          color="yellow"
          icon={<IconArrowsDiff size={20} />}
          title={
            isGone
              ? t('This file has been deleted while you were editing')
              : t('Somebody else has changed this file while you were editing')
          }
        >
          <Text size="sm" mb="sm">
            {isGone
              ? t('Nothing is lost: your text is still here.')
              : version === undefined
                ? t('Their version cannot be shown here as text. Your text is still here, and nothing was overwritten.')
                : version.modified === undefined
                  ? t('Both versions are below, and nothing was overwritten.')
                  : t('They saved it on {time}. Both versions are below, and nothing was overwritten.', {
                      time: formatExactTime(version.modified.toISOString()),
                    })}
          </Text>
          <Group gap="xs">
            <Button size="xs" loading={isWorking} onClick={() => void keep()}>
              {t('Keep mine as a copy')}
            </Button>
            {version !== undefined && (
              <Button size="xs" variant="default" onClick={() => onTake(version)}>
                {t('Take theirs')}
              </Button>
            )}
            {isGone && (
              <Button size="xs" variant="default" onClick={() => void draft.overwrite()}>
                {t('Save it again')}
              </Button>
            )}
            {version !== undefined && !isSure && (
              <Button size="xs" variant="default" onClick={() => setSure(true)}>
                {t('Overwrite theirs…')}
              </Button>
            )}
            <Button size="xs" variant="subtle" color="gray" onClick={() => draft.goOn()}>
              {t('Go on editing')}
            </Button>
          </Group>
          {isSure && (
            <Group gap="xs" mt="sm" role="group" aria-label={t('Overwrite theirs')}>
              <IconAlertTriangle size={18} />
              <Text size="sm">{t('Their changes, which are marked below, will be gone from the file.')}</Text>
              <Button size="xs" color="red" autoFocus onClick={() => void draft.overwrite()}>
                {t('Overwrite their version')}
              </Button>
            </Group>
          )}
          {problem !== undefined && (
            <Text size="sm" mt="xs" c="red" role="alert">
              {problem}
            </Text>
          )}
        </Alert>
      </div>
      {version !== undefined && (
        <>
          <div className={classes.sides} aria-hidden>
            {isNarrow ? (
              <span>{t('Red: only in theirs. Green: only in yours.')}</span>
            ) : (
              <>
                <span>{t('Theirs')}</span>
                <span>{t('Yours')}</span>
              </>
            )}
          </div>
          <Boundary what="preview">
            <Suspense fallback={<PreviewLoading />}>
              <ConflictView
                objectKey={draft.object.key}
                mine={draft.text}
                theirs={version.text}
                labels={{
                  mine: t('Your version of {name}', { name }),
                  theirs: t('Their version of {name}', { name }),
                }}
                isNarrow={isNarrow}
              />
            </Suspense>
          </Boundary>
        </>
      )}
    </>
  );
}
