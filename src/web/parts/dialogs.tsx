import { modals } from '@mantine/modals';
import { useEffect } from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { useSession } from '../session/use-session.ts';
import type { DialogProvider } from './dialog-provider.tsx';
import { tellMissingPart } from './missing-part.tsx';
import { loadPart } from './part.ts';
import { withPart } from './with-part.ts';

const load = () => loadPart(() => import('./dialog-provider.tsx'));
const loaded = createStore<{ readonly Provider?: typeof DialogProvider }>(() => ({}));
const { promise: isMounted, resolve: onMounted } = Promise.withResolvers<undefined>();
const tellMounted = (): void => onMounted(undefined);
type Dialog = Parameters<typeof modals.open>[0] & { readonly modalId: string };

/** The dialogs that open when the code is there, by their identifiers. */
const waiting = new Map<string, Dialog>();

/** The place of dialogs on the page. Their code is loaded with the first one. They contain names of objects, so they close when the session ends. */
export function Dialogs() {
  const { Provider } = useStore(loaded);
  const isHidden = useSession().status !== 'active';
  useEffect(() => {
    if (!isHidden) return;
    waiting.clear();
    modals.closeAll();
  }, [isHidden]);
  return Provider !== undefined && <Provider onMounted={tellMounted} />;
}

/** Waits until dialogs can be opened. @throws {PartMissing} */
async function mount(): Promise<void> {
  const { DialogProvider: Provider } = await load();
  loaded.setState({ Provider });
  await isMounted;
}

/** Loads the code for a click that opens a dialog, as {@link withPart} does. It does not open after the person has gone to another place. */
export function withDialog<T>(load: () => Promise<T>, open: (part: T) => unknown): void {
  const asked = placeNow();
  withPart(
    async () => (await Promise.all([load(), mount()]))[0],
    (part) => (placeNow() === asked ? open(part) : undefined),
  );
}

/** Without the object whose details are open, the order of the rows and the like. */
function placeNow(): string {
  const { pathname, search } = window.location;
  return `${pathname}?${new URLSearchParams(search).get('prefix') ?? ''}`;
}

export const preloadDialogs = (): void => void load().catch(() => undefined);

/**
 * Opens a dialog, unless it is closed or the session ends while the code is loaded. If it cannot be loaded, a notification says so.
 *
 * @param onMissing - called when the code cannot be loaded and the dialog is still waited for.
 */
export async function openModal(dialog: Dialog, onMissing?: () => void): Promise<void> {
  waiting.set(dialog.modalId, dialog);
  try {
    await mount();
  } catch {
    tellMissingPart();
    if (waiting.get(dialog.modalId) !== dialog) return;
    waiting.delete(dialog.modalId);
    onMissing?.();
    return;
  }
  if (waiting.get(dialog.modalId) !== dialog) return;
  waiting.delete(dialog.modalId);
  modals.open(dialog);
}

export function closeModal(modalId: string): void {
  waiting.delete(modalId);
  modals.close(modalId);
}
