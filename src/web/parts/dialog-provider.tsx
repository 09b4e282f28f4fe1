import { ModalsProvider } from '@mantine/modals';
import { useEffect } from 'react';

/** Renders the dialogs. @param onMounted - called when dialogs can be opened. */
export function DialogProvider({ onMounted }: { onMounted: () => void }) {
  // The effects of the provider, which listens for dialogs, come first.
  useEffect(onMounted, [onMounted]);
  return <ModalsProvider />;
}
