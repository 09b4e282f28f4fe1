import { Button, Checkbox, CopyButton, Group, SegmentedControl, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { formatBytes } from '../../format/byte-size.ts';
import type { ObjectHead, ObjectRef } from '../api/object-calls.ts';
import { endingOf } from '../../wire/kind.ts';
import { kindOf } from '../objects/kind.ts';
import { visibleText } from '../names/visible.ts';
import { lazyPart } from '../parts/part.ts';
import { baseName } from '../place/place.ts';
import { ErrorState } from '../shell/states.tsx';
import { t } from '../words/words.ts';
import { decodeText } from './decode-text.ts';
import classes from './details.module.css';
import { readHead } from './object-bytes.ts';
import { NoPreview, PreviewLoading } from './preview-states.tsx';
import { Source } from './source.tsx';
import { displayText } from './display-text.ts';

const MarkdownPreview = lazyPart(() => import('./markdown-preview.tsx').then((module) => module.MarkdownPreview));

type View = 'rendered' | 'source';
const VIEWS: { value: View; label: string }[] = [
  { value: 'rendered', label: t('Rendered') },
  { value: 'source', label: t('Source') },
];

const FIRST_BYTES = 128_000;
/** The browser takes seconds to lay out longer texts. */
const MOST_BYTES = 512_000;

/** Text, with highlighting for known languages. Markdown is rendered; HTML is shown as its source. */
export function TextPreview({ object, head }: { object: ObjectRef; head: ObjectHead }) {
  const [most, setMost] = useState(FIRST_BYTES);
  const [view, setView] = useState<View>('rendered');
  const kind = kindOf(object.key).kind;
  const [isWrapped, setWrapped] = useState(kind !== 'code');
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ['preview-text', object, most],
    queryFn: async ({ signal }) => {
      const { bytes, isCut } = await readHead(object, head, most, signal);
      const text = decodeText(bytes, isCut);
      return { text, displayed: text === undefined ? '' : displayText(text), isCut };
    },
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <PreviewLoading />;
  const { text, displayed, isCut } = data;
  if (text === undefined) return <NoPreview>{t('This is not a text file. Download it to open it.')}</NoPreview>;
  const isMarkdown = ['md', 'markdown'].includes(endingOf(object.key));
  const isRendered = isMarkdown && view === 'rendered';
  return (
    <>
      <Group gap="xs" className={classes.tools}>
        {isMarkdown && (
          <SegmentedControl
            size="xs"
            aria-label={t('View')}
            data={VIEWS}
            value={view}
            onChange={(value) => setView(value)}
          />
        )}
        {!isRendered && (
          <Checkbox
            size="xs"
            label={t('Wrap lines')}
            checked={isWrapped}
            onChange={(event) => setWrapped(event.currentTarget.checked)}
          />
        )}
        <CopyButton value={text}>
          {({ copied, copy }) => (
            <Button size="compact-xs" variant="subtle" color="gray" ml="auto" onClick={copy}>
              {copied ? t('Copied') : t('Copy text')}
            </Button>
          )}
        </CopyButton>
      </Group>
      <div
        className={classes.scroll}
        tabIndex={0}
        role="group"
        aria-label={t('Content of {key}', { key: visibleText(baseName(object.key)) })}
      >
        {isRendered ? (
          <Suspense fallback={<PreviewLoading />}>
            <MarkdownPreview
              text={displayed}
              object={object}
              source={<Source text={displayed} objectKey={object.key} isWrapped />}
            />
          </Suspense>
        ) : (
          <Source text={displayed} objectKey={object.key} isWrapped={isWrapped} />
        )}
      </div>
      {isCut && (
        <Group gap="xs" className={classes.note}>
          <Text size="xs" c="dimmed">
            {t('The first {part} of {size}.', { part: formatBytes(most), size: formatBytes(head.size) })}
            {most >= MOST_BYTES && ` ${t('Download the file to read all of it.')}`}
          </Text>
          {most < MOST_BYTES && (
            <Button size="compact-xs" variant="subtle" loading={isFetching} onClick={() => setMost(most * 4)}>
              {t('Show more')}
            </Button>
          )}
        </Group>
      )}
    </>
  );
}
