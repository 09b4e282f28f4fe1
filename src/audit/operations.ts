/**
 * The name of every operation, and what its audit line holds.
 *
 * `writes` is `always` for an operation that changes something or moves the content of objects: each request writes a line. It is `refusals`
 * for an operation that reads names and settings: a line is written only when the request was denied or failed. `names` says which resources the line holds.
 */
export const operations = {
  'provider/list': { writes: 'refusals', names: 'none' },
  'bucket/list': { writes: 'refusals', names: 'none' },
  'bucket/create': { writes: 'always', names: 'the bucket' },
  'bucket/delete': { writes: 'always', names: 'the bucket' },
  'object/list': { writes: 'refusals', names: 'none' },
  'object/search': { writes: 'refusals', names: 'none' },
  'object/size': { writes: 'refusals', names: 'none' },
  'object/head': { writes: 'refusals', names: 'the object' },
  'object/read': { writes: 'always', names: 'the object' },
  'object/thumbnail': { writes: 'always', names: 'the object' },
  'object/write': { writes: 'always', names: 'the object' },
  'object/delete': { writes: 'always', names: 'each object, with what became of it' },
  'object/copy': { writes: 'always', names: 'the source and the target; for a move the source again, to be deleted' },
  'object/presign': { writes: 'always', names: 'the object, to be shared and to be read or written' },
  'object/archive': { writes: 'always', names: 'each object and each prefix that was asked for' },
  'upload/create': { writes: 'always', names: 'the object' },
  'upload/part': { writes: 'always', names: 'the object' },
  'upload/get': { writes: 'refusals', names: 'the object' },
  'upload/complete': { writes: 'always', names: 'the object' },
  'upload/abort': { writes: 'always', names: 'the object' },
  'transfer/create': { writes: 'always', names: 'the object' },
  'permission/list': { writes: 'refusals', names: 'none' },
  'apiKey/create': { writes: 'always', names: 'the key, with its creator' },
  'apiKey/list': { writes: 'refusals', names: 'none' },
  'apiKey/listAll': { writes: 'refusals', names: 'none' },
  'apiKey/revokeAll': { writes: 'always', names: 'each key, with its creator' },
  'apiKey/rotate': { writes: 'always', names: 'the key, with its creator' },
  'apiKey/replaceScope': { writes: 'always', names: 'the key, with its creator' },
  'apiKey/revoke': { writes: 'always', names: 'the key, with its creator' },
  'login/begin': { writes: 'refusals', names: 'none' },
  'login/finish': { writes: 'always', names: 'the session; none for a desktop client, which gets a code' },
  'login/exchange': { writes: 'always', names: 'the session' },
  'login/local': { writes: 'always', names: 'the session' },
  'session/get': { writes: 'refusals', names: 'none' },
  'session/end': { writes: 'always', names: 'the session; none when there was none' },
  'session/list': { writes: 'refusals', names: 'none' },
  'session/revoke': { writes: 'always', names: 'the session, with whose it was' },
  'session/revokeAll': { writes: 'always', names: 'each session, with whose it was' },
  'role/list': { writes: 'refusals', names: 'none' },
  'policy/list': { writes: 'refusals', names: 'none' },
  'binding/list': { writes: 'refusals', names: 'none' },
  'policy/explain': { writes: 'refusals', names: 'none' },
  'service/read': { writes: 'refusals', names: 'none' },
  'initialize': { writes: 'refusals', names: 'none' },
} as const satisfies Readonly<Record<string, { readonly writes: 'always' | 'refusals'; readonly names: string }>>;

export type OperationName = keyof typeof operations;
