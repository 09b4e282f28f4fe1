type Scope = { onmessage: ((event: { readonly data: unknown }) => void) | undefined };

/** Runs a script of a worker of browsers in a process: the same two names, on another port. */
const scope: Scope = Object.assign(globalThis, {
  postMessage: (message: unknown) => process.send?.(message),
  onmessage: undefined,
});
await import(process.argv[2]!);
process.on('message', (data) => scope.onmessage?.({ data }));
