import { modals } from '@mantine/modals';
import { useEffect } from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { useSession } from '../session/use-session.ts';
import type { DialogProvider } from './dialog-provider.tsx';
import { tellMissingPart } from './missing-part.tsx';
import { loadPart } from './part.ts';

const load = () => loadPart(() => import('./dialog-provider.tsx'));
const loaded = createStore<{ readonly Provider?: typeof DialogProvider }>(() => ({}));
const { promise: isMounted, resolve: onMounted } = Promise.withResolvers<undefined>();
const tellMounted = (): void => onMounted(undefined);
/** How often all dialogs were closed. */
let closings = 0;

/** The place of dialogs on the page. Their code is loaded with the first one. They contain names of objects, so they close when the session ends. */
export function Dialogs() {
  const { Provider } = useStore(loaded);
  const isHidden = useSession().status !== 'active';
  useEffect(() => {
    if (!isHidden) return;
    closings += 1;
    modals.closeAll();
  }, [isHidden]);
  return Provider !== undefined && <Provider onMounted={tellMounted} />;
}

export const preloadDialogs = (): void => void load().catch(() => undefined);

/** Opens a dialog, unless the session ends while the code is loaded. If it cannot be loaded, a notification says so. */
export async function openModal(dialog: Parameters<typeof modals.open>[0]): Promise<void> {
  const before = closings;
  try {
    const { DialogProvider: Provider } = await load();
    loaded.setState({ Provider });
  } catch {
    tellMissingPart();
    return;
  }
  await isMounted;
  if (closings === before) modals.open(dialog);
}
