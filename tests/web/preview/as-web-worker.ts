import { parentPort, workerData } from 'node:worker_threads';

type Scope = { onmessage: ((event: { readonly data: unknown }) => void) | undefined };

/** Runs a script of a worker of browsers in one of Node: the same two names, on another port. */
const scope: Scope = Object.assign(globalThis, { postMessage: (message: unknown) => parentPort?.postMessage(message), onmessage: undefined });
await import(workerData as string);
parentPort?.on('message', (data: unknown) => scope.onmessage?.({ data }));
