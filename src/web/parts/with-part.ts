import { tellMissingPart } from './missing-part.tsx';
import { loadPart } from './part.ts';

/** Loads what a click needs and goes on with it; when it cannot be loaded, a message says so. */
export function withPart<T>(load: () => Promise<T>, go: (part: T) => unknown): void {
  void loadPart(load).then(go, tellMissingPart);
}
