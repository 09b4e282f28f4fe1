import { useMounted } from '@mantine/hooks';

/** False in the first render. The library returns the focus only from what was opened after its first render. */
export function useOpened(opened: boolean): boolean {
  return useMounted() && opened;
}
