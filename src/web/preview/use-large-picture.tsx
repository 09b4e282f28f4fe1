import { Button, Center, Stack, Text } from '@mantine/core';
import { useEffect, useState, type ReactElement } from 'react';
import { t } from '../words/words.ts';
import classes from './details.module.css';

/** The browser takes long to draw a larger picture, and much memory, although its file may be small. The service makes no thumbnail of one either. */
const MOST_PIXELS = 50_000_000;
/** The browser has no event for the moment when it knows the size of a picture. */
const LOOK_EVERY_MS = 50;

/**
 * Finds out how large a picture is before it is drawn.
 *
 * @returns `unknown` while its beginning is loading; what to show in its place while a large one is not asked for; otherwise undefined.
 */
export function useLargePicture(url: string): 'unknown' | ReactElement | undefined {
  const pixels = usePixels(url);
  const [asked, setAsked] = useState<string>();
  if (pixels === undefined) return 'unknown';
  if (pixels <= MOST_PIXELS || asked === url) return undefined;
  return (
    <Center className={classes.frame} p="lg" mih={96}>
      <Stack align="center" gap="sm">
        <Text size="sm" c="dimmed" ta="center">
          {t('This picture has {count} million pixels. The page may stand still while it is drawn.', {
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

/** The number of pixels of a picture, which is loaded for that but not drawn; 0 if it cannot be loaded, and undefined until the browser knows it. */
function usePixels(url: string): number | undefined {
  const [found, setFound] = useState<{ readonly of: string; readonly pixels: number }>();
  useEffect(() => {
    const image = new Image();
    const tell = (): void => {
      clearInterval(timer);
      setFound({ of: url, pixels: image.naturalWidth * image.naturalHeight });
    };
    const timer = setInterval(() => {
      if (image.naturalWidth > 0) tell();
    }, LOOK_EVERY_MS);
    image.onload = tell;
    image.onerror = tell;
    image.src = url;
    return () => {
      clearInterval(timer);
      image.onload = null;
      image.onerror = null;
    };
  }, [url]);
  return found?.of === url ? found.pixels : undefined;
}
