import { Text } from '@mantine/core';
import type { Place } from '../place/place.ts';

/** What the details panel shows of one object: metadata and a preview. Loaded when it is first needed. */
export function Details({ objectKey }: { place: Place; objectKey: string }) {
  return <Text>{objectKey}</Text>;
}
