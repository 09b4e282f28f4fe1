import { tellMissingPart } from './missing-part.tsx';
import { loadPart } from './part.ts';

/** Loads the code for a click and runs it. If it cannot be loaded, a notification says so. */
export function withPart<T>(load: () => Promise<T>, go: (part: T) => unknown): void {
  void loadPart(load).then(go, tellMissingPart);
}
