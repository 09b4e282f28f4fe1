import type { Caller } from '../access/caller.ts';
import type { CredentialWatch } from '../access/credential-watch.ts';
import type { Route, RouteRequest } from './route.ts';

/**
 * Ends a transfer with the session or key that it began with.
 *
 * The connection is cut: a download in good order could be taken for whole, and an upload that breaks off leaves no object.
 */
export function endWithCaller(watch: CredentialWatch, caller: Caller, { res, trail }: Pick<RouteRequest<unknown, []>, 'res' | 'trail'>): void {
  const leave = watch.watch(caller, (why) => {
    trail.failed(`session_${why}`);
    res.destroy();
  });
  res.once('close', leave);
  if (res.destroyed) leave();
}

/** The row, whose transfers end with the session that they began with. */
export function endingWithCaller(watch: CredentialWatch, row: Route): Route {
  return {
    ...row,
    handle: (request) => {
      endWithCaller(watch, request.caller, request);
      return row.handle(request);
    },
  };
}
