import { useMediaQuery } from '@mantine/hooks';

/** Whether the window is as narrow as a phone. Style sheets use the same width. */
export function useNarrow(): boolean {
  return useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });
}
