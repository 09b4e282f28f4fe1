import { useState } from 'react';
import { objectUrl, type ObjectRef } from '../api/object-calls.ts';
import { visibleText } from '../names/visible.ts';
import { baseName } from '../place/place.ts';
import { t } from '../words/words.ts';
import classes from './details.module.css';
import { NoPreview } from './preview-states.tsx';

/**
 * Images, audio and video, loaded from the guarded route. The browser requests the ranges that it plays.
 *
 * It opens audio and video only when they are played. To say how long they are it would draw the first frame, also of a file that is called audio, and a file of
 * 2 kB can have one that takes a gigabyte.
 *
 * An SVG in an `img` element runs no scripts. Opened on its own it runs none either, because the route sends it as an attachment in a sandbox.
 */
export function MediaPreview({
  kind,
  object,
  url = objectUrl(object),
}: {
  kind: 'image' | 'video' | 'audio';
  object: ObjectRef;
  url?: string;
}) {
  const [failed, setFailed] = useState(false);
  const name = visibleText(baseName(object.key));
  const fail = () => {
    setFailed(true);
  };
  if (failed) return <NoPreview>{t('The browser cannot show this file. Download it to open it.')}</NoPreview>;
  if (kind === 'image')
    return <img className={classes.checkers} src={url} alt={name} decoding="async" onError={fail} />;
  if (kind === 'audio') return <audio controls preload="none" src={url} aria-label={name} onError={fail} />;
  return <video controls playsInline preload="none" src={url} aria-label={name} onError={fail} />;
}
