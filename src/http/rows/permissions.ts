import { listPermissions } from '../../operation/permissions.ts';
import { keyPermissions, permissions } from '../../wire/permission.ts';
import { row } from '../routing/row.ts';

const MEBIBYTE = 1_048_576;
const tag = 'Permissions';

/** Routes for the permissions that the UI shows. */
export const permissionRows = [
  row({
    method: 'get',
    path: '/api/providers/:provider/permissions',
    operation: listPermissions,
    tag,
    summary: 'List what you may do on a provider',
    answers: {
      200: {
        schema: permissions,
        description: 'The allowed actions of `providers:read`, `buckets:read` and `buckets:create`.',
      },
    },
  }),
  row({
    method: 'get',
    path: '/api/providers/:provider/buckets/:bucket/permissions',
    operation: listPermissions,
    tag,
    summary: 'List what you may do in a bucket, beneath a prefix, or on a key',
    description:
      'An action is listed when policy allows it on at least one resource in the bucket, beneath the prefix, or on the key. With `prefix` the answer also has `here`: the actions allowed on a new object directly beneath the prefix. Storage is not asked, so a bucket that does not exist gets the same answer as any other name.',
    query: ['prefix', 'key'],
    answers: { 200: { schema: permissions, description: 'The allowed actions, in a fixed order.' } },
  }),
  row({
    method: 'post',
    path: '/api/providers/:provider/buckets/:bucket/permissions',
    operation: listPermissions,
    tag,
    reads: true,
    summary: 'List what you may do on each of up to 1000 keys',
    body: ['keys'],
    needs: ['keys'],
    maxBodyBytes: MEBIBYTE,
    answers: { 200: { schema: keyPermissions, description: 'The allowed actions of each key, in a fixed order.' } },
  }),
];
