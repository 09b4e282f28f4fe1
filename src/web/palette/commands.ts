import { useEffect, type ComponentType } from 'react';
import { createStore, useStore } from 'zustand';

/** A command of the command palette. */
export type Command = {
  readonly id: string;
  readonly label: string;
  readonly icon: ComponentType<{ size?: number | string; stroke?: number | string }>;
  readonly run: () => void;
};

const offered = createStore<readonly Command[]>(() => []);

/** Offers commands in the command palette while the calling component is shown. */
export function useCommands(commands: readonly Command[]): void {
  useEffect(() => {
    offered.setState(commands, true);
    return () => offered.setState([], true);
  }, [commands]);
}

export function useOfferedCommands(): readonly Command[] {
  return useStore(offered);
}
