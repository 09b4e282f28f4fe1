import { listProviders, listVisibleBuckets, makeBucket, removeBucket } from '../../operation/buckets.ts';
import { row } from '../routing/row.ts';

const tag = 'Storage';

/** Providers and buckets. */
export const bucketRows = [
  row({
    method: 'get',
    path: '/api/providers',
    operation: listProviders,
    tag,
    summary: 'List the storage providers that you may see',
    answers: { 200: { description: 'The providers on which policy allows you `providers:list`.' } },
  }),
  row({
    method: 'get',
    path: '/api/providers/:provider/buckets',
    operation: listVisibleBuckets,
    tag,
    summary: 'List the buckets that you may see',
    answers: {
      200: {
        description:
          'The buckets on which policy allows you `buckets:list`. The list is empty if you may see none, even if the provider does not exist.',
      },
    },
  }),
  row({
    method: 'post',
    path: '/api/providers/:provider/buckets',
    operation: makeBucket,
    tag,
    summary: 'Create a bucket',
    body: ['name'],
    answers: { 201: { description: 'The bucket was created.' } },
    problems: ['bucket_exists', 'conflict'],
  }),
  row({
    method: 'delete',
    path: '/api/providers/:provider/buckets/:bucket',
    operation: removeBucket,
    tag,
    summary: 'Delete an empty bucket',
    answers: { 204: { description: 'The bucket was deleted.' } },
    problems: ['bucket_not_empty'],
  }),
];
