import { createStore } from 'zustand/vanilla';
import type { Target } from '../../transfer/transport.ts';
import { onSessionChange, ownerId, sessionState } from '../session/session.ts';
import { ConflictDesk } from './conflict.ts';
import { UploadQueue } from './queue.ts';
import { RememberedUploads } from './remembered.ts';
import { serviceTransport } from './service-transport.ts';
import { SessionGate } from './session-gate.ts';
import { TaskBoard } from './task-board.ts';

// The uploads and tasks of this page, which continue while the user goes to other pages.
export const conflicts = new ConflictDesk();
export const remembered = new RememberedUploads(() => window.localStorage, ownerId);

const gate = new SessionGate();
export const tasks = new TaskBoard(gate);

/** The target of the latest finished upload. */
export const lastStored = createStore<Target | undefined>(() => undefined);

/** How often somebody asked for the interrupted uploads, which the closed transfers do not show. */
export const interruptedAsked = createStore(() => 0);

export const uploads = new UploadQueue({
  transport: serviceTransport,
  resumeStore: remembered,
  conflicts,
  onStored: (target) => lastStored.setState(target, true),
});

/** Holds uploads and tasks while nobody is signed in, retries uploads when the browser is online again, and asks before the page is left while one is running. */
export function watchPage(): void {
  onSessionChange(() => {
    const { status } = sessionState();
    if (status === 'active') {
      gate.open();
      uploads.release();
    } else if (status !== 'checking') {
      gate.close();
      uploads.hold();
    }
  });
  window.addEventListener('online', () => uploads.retryLost());
  window.addEventListener('beforeunload', (event) => {
    if (sessionState().status === 'signing-out') return;
    const isWorking =
      uploads.view.getState().moving > 0 ||
      tasks.view.getState().some(({ state }) => state === 'running' || state === 'held');
    if (isWorking) event.preventDefault();
  });
}
