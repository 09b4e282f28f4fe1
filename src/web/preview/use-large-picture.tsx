import { Button, Center, Stack, Text } from '@mantine/core';
import { useEffect, useState, type ReactElement } from 'react';
import { t } from '../words/words.ts';
import classes from './details.module.css';
import { countFrames, howAnimated } from './picture-frames.ts';

/** The browser takes long to draw a larger picture, and much memory, although its file may be small. The service makes no thumbnail of one either. */
const MOST_PIXELS = 50_000_000;
/** The work of the browser grows with the square of the number of frames, as soon as it loads them. */
export const MOST_FRAMES = 5_000;
/** The beginning of a picture, which seldom leaves open whether it is animated. */
const BEGINNING_BYTES = 131_072;
/** The browser has no event for the moment when it knows the size of a picture. */
const LOOK_EVERY_MS = 50;

type Measures = { readonly frames: number; readonly pixels: number };

/**
 * Finds out how large a picture is before it is drawn.
 *
 * @returns `unknown` while its beginning is loading; what to show in its place while a large one is not asked for; otherwise undefined.
 */
export function useLargePicture(url: string): 'unknown' | ReactElement | undefined {
  const measures = useMeasures(url);
  const [asked, setAsked] = useState<string>();
  if (measures === undefined) return 'unknown';
  const { frames, pixels } = measures;
  const areMany = frames > MOST_FRAMES;
  if ((!areMany && pixels <= MOST_PIXELS) || asked === url) return undefined;
  return (
    <Center className={classes.frame} p="lg" mih={96}>
      <Stack align="center" gap="sm">
        <Text size="sm" c="dimmed" ta="center">
          {areMany
            ? t('This picture may have very many frames or passes. The page may stand still while it is drawn.')
            : t('This picture has {count} million pixels. The page may stand still while it is drawn.', {
                count: Math.round(pixels / 1_000_000),
              })}
        </Text>
        <Button size="xs" variant="default" onClick={() => setAsked(url)}>
          {t('Draw picture')}
        </Button>
      </Stack>
    </Center>
  );
}

/**
 * The measures of a picture, which is loaded for that but not drawn.
 *
 * @returns undefined until they are known; no pixels if it cannot be loaded or has too many frames.
 */
function useMeasures(url: string): Measures | undefined {
  const [found, setFound] = useState<Measures & { readonly of: string }>();
  useEffect(() => {
    const stop = new AbortController();
    const image = new Image();
    let timer: ReturnType<typeof setInterval> | undefined;
    void framesOf(url, stop.signal).then((frames) => {
      if (stop.signal.aborted) return;
      const tell = (): void => {
        clearInterval(timer);
        setFound({ of: url, frames, pixels: image.naturalWidth * image.naturalHeight });
      };
      if (frames > MOST_FRAMES) {
        tell();
        return;
      }
      timer = setInterval(() => {
        if (image.naturalWidth > 0) tell();
      }, LOOK_EVERY_MS);
      image.onload = tell;
      image.onerror = tell;
      image.src = url;
    });
    return () => {
      stop.abort();
      clearInterval(timer);
      image.onload = null;
      image.onerror = null;
    };
  }, [url]);
  return found?.of === url ? found : undefined;
}

/**
 * The number of frames of a picture, as far as they matter; 0 if it is not animated or cannot be read. Its beginning is asked for by itself, because the audit
 * records a whole one that is broken off as a failure.
 */
export async function framesOf(url: string, signal: AbortSignal | null = null): Promise<number> {
  try {
    const beginning = await fetch(url, { signal, headers: { range: `bytes=0-${BEGINNING_BYTES - 1}` } });
    if (!beginning.ok) return 0;
    // The beginning of what is stored compressed may not be readable.
    const animated = howAnimated(new Uint8Array(await beginning.arrayBuffer().catch(() => new ArrayBuffer())));
    if (animated === false) return 0;
    if (animated === 'uncountable') return Infinity;
    const { ok, body } = await fetch(url, { signal });
    return ok && body !== null ? await countFrames(body, MOST_FRAMES) : 0;
  } catch {
    return 0;
  }
}
