import { permittedBeneath } from '../access/authorize.ts';
import type { WatchedFolders } from '../access/folder-watches.ts';
import { refuseFault } from '../access/invalid.ts';
import { SvcError } from '../errors/svc-error.ts';
import { operation } from './operation.ts';

/** Tells the client of a socket when the listing of a folder may be another. Like a listing, it may be asked of any folder, and shows what policy allows then. */
export const watchFolder = operation({
  name: 'object/watch',
  access: { kind: 'policy', asks: () => [], each: 'objects:list' },
  run: ({ input: { provider, bucket, prefix = '' }, caller, storage, services, trail, watched }) => {
    const folder = services.targets.beneath(provider, bucket, prefix);
    refuseFault('prefix', prefix === '' || prefix.endsWith('/') ? undefined : 'is a folder, which ends with a slash');
    const place = permittedBeneath(caller, 'objects:list', folder);
    if (place !== undefined) {
      trail.about(folder);
      // Refuses an unknown provider, as a listing does.
      storage.open(place);
    }
    return { watch: onSocket(watched).begin(folder) };
  },
});

export const unwatchFolder = operation({
  name: 'object/unwatch',
  access: { kind: 'session' },
  run: ({ input: { watch }, watched }) => {
    onSocket(watched).end(watch);
    return {};
  },
});

function onSocket(watched: WatchedFolders | undefined): WatchedFolders {
  if (watched === undefined)
    throw new SvcError('method_not_allowed', { detail: 'folders are watched on a WebSocket; open one on this path' });
  return watched;
}
