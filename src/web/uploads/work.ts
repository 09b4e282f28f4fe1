import type { Target } from '../../transfer/transport.ts';
import { SessionGate } from '../actions/session-gate.ts';
import { TaskBoard } from '../actions/task-board.ts';
import { onSessionChange, sessionState } from '../session/session.ts';
import { ConflictDesk } from './conflict.ts';
import { UploadQueue } from './queue.ts';
import { RememberedUploads } from './remembered.ts';
import { serviceTransport } from './service-transport.ts';

/** The long work of this page: it goes on while the user looks at other places. */
export const conflicts = new ConflictDesk();
export const remembered = new RememberedUploads(() => window.localStorage, owner);

const gate = new SessionGate();
export const tasks = new TaskBoard(gate);

const storedListeners = new Set<(target: Target) => void>();
export const uploads = new UploadQueue({
  transport: serviceTransport,
  memory: remembered,
  conflicts,
  onStored: (target) => {
    for (const listener of storedListeners) listener(target);
  },
});

/** Calls back for each object that an upload has stored. */
export function onStored(listener: (target: Target) => void): () => void {
  storedListeners.add(listener);
  return () => storedListeners.delete(listener);
}

function owner(): string {
  const state = sessionState();
  return 'account' in state ? `${state.account.issuer} ${state.account.subject}` : '';
}

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
  const isWorking = uploads.snapshot().moving > 0 || tasks.snapshot().some(({ state }) => state === 'running' || state === 'held');
  if (isWorking) event.preventDefault();
});
