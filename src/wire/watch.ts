import { FOLDER_CHANGED } from './folder-changed.ts';
import { inBucket, keyPrefix, nothing, object, optional, text } from './schema.ts';

const WATCH_EXAMPLE = { examples: ['1'] };

/** Folders that the client of a WebSocket watches. */
export const watchOperations = {
  'object/watch': {
    input: object({
      ...inBucket,
      prefix: optional({
        ...keyPrefix,
        default: '',
        description: 'The folder, with the slash at its end; empty for the bucket.',
      }),
    }),
    output: object({
      watch: text(
        `Its id on this socket. A message \`${FOLDER_CHANGED}\` with it follows, at most once a second, when an object that the caller may list changed beneath the folder.`,
        WATCH_EXAMPLE,
      ),
    }),
  },
  'object/unwatch': {
    input: object({ watch: text('`watch` of an answer on this socket.', { maxLength: 20, ...WATCH_EXAMPLE }) }),
    output: nothing,
  },
};
