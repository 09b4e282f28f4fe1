import { dirname, join, resolve } from 'node:path';
import type { Config } from '../schema/schema.ts';
import type { Settings } from '../read/settings.ts';

/** By default, small versions of pictures are kept beside the state database. */
export function compileThumbnails(
  { thumbnails: { enabled, path, max_bytes: maxBytes } }: Config,
  directory: string,
  state: Settings['state'],
): Settings['thumbnails'] {
  if (!enabled) return undefined;
  const besideState = state?.type === 'sqlite' ? join(dirname(state.path), 'thumbnails') : undefined;
  return { path: path === undefined ? besideState : resolve(directory, path), maxBytes };
}
