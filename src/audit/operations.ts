export type Kind = 'change' | 'content' | 'read';

/**
 * The names of all operations, and what their audit lines contain.
 *
 * `kind` is `change` for an operation that changes something, or hands out something that can be used later. It is `content` for one that transfers the content
 * of objects, and `read` for one that reads names and settings, or marks places for the caller alone. `names` says which resources the line contains.
 */
export const operations = {
  'provider/list': { kind: 'read', names: 'none' },
  'provider/health': { kind: 'read', names: 'none' },
  'bucket/list': { kind: 'read', names: 'the provider; none if the caller may see no bucket of it' },
  'bucket/get': { kind: 'read', names: 'the bucket' },
  'bucket/info': { kind: 'read', names: 'the bucket' },
  'bucket/create': { kind: 'change', names: 'the bucket' },
  'bucket/delete': { kind: 'change', names: 'the bucket' },
  'object/list': { kind: 'read', names: 'the bucket or prefix; none if the caller may list nothing there' },
  'object/watch': { kind: 'read', names: 'the prefix; none if the caller may list nothing there' },
  'object/unwatch': { kind: 'read', names: 'none' },
  'object/search': { kind: 'read', names: 'the bucket or prefix; none if the caller may list nothing there' },
  'object/size': { kind: 'read', names: 'the bucket or prefix; none if the caller may list nothing there' },
  'object/listVersions': {
    kind: 'read',
    names: 'the object, bucket or prefix; none if the caller may see no versions there',
  },
  'object/head': { kind: 'read', names: 'the object, and the version if one was asked for' },
  'object/tags': { kind: 'read', names: 'the object' },
  'object/setTags': { kind: 'change', names: 'the object' },
  'object/setProperties': { kind: 'change', names: 'the object, once for reading and once for writing' },
  'object/read': { kind: 'content', names: 'the object, and the version if one was asked for' },
  'object/thumbnail': { kind: 'content', names: 'the object' },
  'object/write': { kind: 'change', names: 'the object' },
  'object/delete': { kind: 'change', names: 'each object, with its outcome' },
  'object/copy': {
    kind: 'change',
    names: 'the source and the target; for a move also the source as an object to delete',
  },
  'object/presign': { kind: 'change', names: 'the object, once for sharing and once for reading or writing' },
  'object/restore': { kind: 'change', names: 'the object, once for restoring and once for writing, with the version' },
  'object/restoreFolder': {
    kind: 'change',
    names:
      'the bucket or prefix; for each key that is changed, lines of their own name the object, with the version that is brought back or deleted. A dry run counts as `object/listVersions`',
  },
  'object/unarchive': { kind: 'change', names: 'the object' },
  'object/purge': { kind: 'change', names: 'the object, with the version' },
  'object/archive': { kind: 'content', names: 'each requested object and prefix' },
  'upload/create': { kind: 'change', names: 'the object' },
  'upload/part': { kind: 'change', names: 'the object' },
  'upload/get': { kind: 'read', names: 'the object' },
  'upload/complete': { kind: 'change', names: 'the object' },
  'upload/abort': { kind: 'change', names: 'the object' },
  'upload/list': { kind: 'read', names: 'the bucket or prefix; none if the caller may write nothing there' },
  'upload/copyPart': { kind: 'change', names: 'the source and the object' },
  'transfer/create': { kind: 'change', names: 'the object' },
  'permission/list': { kind: 'read', names: 'none' },
  'place/list': { kind: 'read', names: 'none' },
  'place/mark': { kind: 'read', names: 'none' },
  'apiKey/create': { kind: 'change', names: 'the API key, with its creator' },
  'apiKey/list': { kind: 'read', names: 'none' },
  'apiKey/listAll': { kind: 'read', names: 'none' },
  'apiKey/revokeAll': { kind: 'change', names: 'the person, and each API key, with its creator' },
  'apiKey/rotate': { kind: 'change', names: 'the API key, with its creator' },
  'apiKey/replaceScope': { kind: 'change', names: 'the API key, with its creator' },
  'apiKey/revoke': { kind: 'change', names: 'the API key, with its creator' },
  's3Key/create': { kind: 'change', names: 'the S3 key, with its creator' },
  's3Key/list': { kind: 'read', names: 'none' },
  's3Key/listAll': { kind: 'read', names: 'none' },
  's3Key/revokeAll': { kind: 'change', names: 'the person, and each S3 key, with its creator' },
  's3Key/rotate': { kind: 'change', names: 'the S3 key, with its creator' },
  's3Key/replaceScope': { kind: 'change', names: 'the S3 key, with its creator' },
  's3Key/revoke': { kind: 'change', names: 'the S3 key, with its creator' },
  'login/begin': { kind: 'read', names: 'none' },
  'login/finish': { kind: 'change', names: 'the session; none for a desktop client, which receives a code' },
  'login/exchange': { kind: 'change', names: 'the session' },
  'login/local': { kind: 'change', names: 'the session' },
  's3Session/create': { kind: 'change', names: 'none; the credential is the one of the session' },
  'session/get': { kind: 'read', names: 'none' },
  'session/end': { kind: 'change', names: 'each session, with its owner' },
  'session/endByProvider': { kind: 'change', names: 'each session, with its owner' },
  'signIn/list': { kind: 'read', names: 'none' },
  'session/list': { kind: 'read', names: 'none' },
  'session/revoke': { kind: 'change', names: 'the session, with its owner' },
  'session/revokeAll': { kind: 'change', names: 'the person, and each session, with its owner' },
  'person/suspend': { kind: 'change', names: 'the person, and each session that ended, with its owner' },
  'person/resume': { kind: 'change', names: 'the person' },
  'person/listSuspended': { kind: 'read', names: 'none' },
  'role/list': { kind: 'read', names: 'none' },
  'policy/list': { kind: 'read', names: 'none' },
  'binding/list': { kind: 'read', names: 'none' },
  'policy/explain': { kind: 'read', names: 'none' },
  'policy/who': { kind: 'read', names: 'none' },
  'policy/viewAs': { kind: 'change', names: 'the person' },
  'audit/list': { kind: 'read', names: 'none' },
  'audit/sinks': { kind: 'read', names: 'none' },
  'object/activity': { kind: 'read', names: 'the object' },
  'service/read': { kind: 'read', names: 'none' },
  initialize: { kind: 'read', names: 'none' },
} as const satisfies Readonly<Record<string, { readonly kind: Kind; readonly names: string }>>;

export type OperationName = keyof typeof operations;

/** Whether an operation changes something, or hands out something that can be used later. True for an operation that is not known, such as one of another version. */
export function isChange(operation: string): boolean {
  return !Object.hasOwn(operations, operation) || operations[operation as OperationName].kind === 'change';
}

/** The operations after which the listing of a folder may be another. */
export const FOLDER_CHANGES: ReadonlySet<OperationName> = new Set([
  'object/write',
  'object/setProperties',
  'object/delete',
  'object/copy',
  'object/restore',
  'object/restoreFolder',
  'object/purge',
  'upload/complete',
]);

/** What a question about the audit is limited to: changes, or also what was read of storage, without the reads of settings. */
export type Only = 'changes' | 'storage';

/** The operations that a limited question leaves out. */
export const LEFT_OUT: Readonly<Record<Only, ReadonlySet<string>>> = {
  changes: namesOf(({ kind }) => kind !== 'change'),
  storage: namesOf(({ kind, names }) => kind !== 'change' && names === 'none'),
};

/** Steps of a transfer, which has a line of its own. A question about changes leaves them out if they were done; where one was not, no such line may follow. */
export const STEPS: ReadonlySet<string> = new Set<OperationName>(['transfer/create', 'upload/part', 'upload/copyPart']);

function namesOf(chosen: (operation: (typeof operations)[OperationName]) => boolean): ReadonlySet<string> {
  return new Set(Object.entries(operations).flatMap(([name, operation]) => (chosen(operation) ? [name] : [])));
}
