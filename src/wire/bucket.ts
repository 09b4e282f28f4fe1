import {
  boolean,
  bucketName,
  inBucket,
  integer,
  list,
  nothing,
  object,
  oneOf,
  orNull,
  providerName,
  string,
  timeOrNull,
} from './schema.ts';

export const providerOperations = {
  'provider/list': {
    input: nothing,
    output: object({ providers: list(object({ name: string, type: oneOf(['s3']) })) }),
  },
};

export const bucketOperations = {
  'bucket/list': {
    input: object({ provider: providerName }),
    output: object({ buckets: list(object({ name: string, createdAt: timeOrNull })) }),
  },
  'bucket/get': { input: object(inBucket), output: object({ name: string }) },
  'bucket/info': {
    input: object(inBucket),
    output: object({
      name: string,
      versioning: oneOf(['enabled', 'suspended', 'never', 'unknown'], {
        description:
          'Whether the bucket keeps what is overwritten or deleted. `suspended`: it keeps old versions, but no new ones. `unknown`: storage does not tell.',
      }),
      objectLock: orNull(boolean({ description: 'Whether objects can be locked; null when storage does not tell.' })),
      canListVersions: boolean({ description: 'Whether the storage credentials of the service may list versions.' }),
      keptDays: orNull(
        integer({
          description:
            'After how many days the lifecycle rules of the bucket delete the first old versions; null when they delete none, or when storage does not tell.',
        }),
      ),
    }),
  },
  'bucket/create': { input: object({ provider: providerName, name: bucketName }), output: object({ name: string }) },
  'bucket/delete': { input: object(inBucket), output: nothing },
};
