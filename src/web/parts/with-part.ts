import { onSessionChange, sessionState } from '../session/session.ts';
import { tellMissingPart } from './missing-part.tsx';
import { loadPart } from './part.ts';

/** Loads the code for a click and runs it, unless the session ends meanwhile. If it cannot be loaded, a notification says so. */
export function withPart<T>(load: () => Promise<T>, go: (part: T) => unknown): void {
  let hasEnded = false;
  const stop = onSessionChange(() => (hasEnded ||= sessionState().status !== 'active'));
  void loadPart(load)
    .finally(stop)
    .then((part) => (hasEnded ? undefined : go(part)), tellMissingPart);
}
