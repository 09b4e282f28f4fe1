import { useEffect, useSyncExternalStore, type ComponentType } from 'react';

/** Something that the palette can start. */
export type Command = { readonly id: string; readonly label: string; readonly icon: ComponentType<{ size?: number | string; stroke?: number | string }>; readonly run: () => void };

let offeredHere: readonly Command[] = [];
const listeners = new Set<() => void>();

function offer(commands: readonly Command[]): void {
  offeredHere = commands;
  for (const listener of listeners) listener();
}

/** Offers commands in the palette for as long as the page that calls this is shown. */
export function useCommands(commands: readonly Command[]): void {
  useEffect(() => {
    offer(commands);
    return () => offer([]);
  }, [commands]);
}

export function useOfferedCommands(): readonly Command[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => offeredHere,
  );
}
