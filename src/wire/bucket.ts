import { bucketName, inBucket, list, nothing, object, oneOf, providerName, string, timeOrNull } from './schema.ts';

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
  'bucket/create': { input: object({ provider: providerName, name: bucketName }), output: object({ name: string }) },
  'bucket/delete': { input: object(inBucket), output: nothing },
};
