import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import type { ObjectHead, ObjectRef } from '../api/object-calls.ts';
import { t } from '../words/words.ts';
import classes from './details.module.css';
import { MediaPreview } from './media-preview.tsx';
import { TextPreview } from './text-preview.tsx';

/** The source of an SVG, and the picture on request: a small file can describe one that the browser draws for minutes, and the page stands still meanwhile. */
export function SvgPreview({ object, head }: { object: ObjectRef; head: ObjectHead }) {
  const [isDrawn, setDrawn] = useState(false);
  if (isDrawn) return <MediaPreview kind="image" object={object} />;
  return (
    <>
      <Group className={classes.tools}>
        <Button size="xs" variant="default" onClick={() => setDrawn(true)}>
          {t('Draw picture')}
        </Button>
      </Group>
      <TextPreview object={object} head={head} />
    </>
  );
}
