import { codeOf } from '../errors/svc-error.ts';
import type { Target } from '../transfer/transport.ts';
import type { Connection } from './connection.ts';

/** The object at a place; undefined when there is none, or when the caller may not know. */
export async function objectHead(connection: Connection, target: Target) {
  try {
    return await connection.call('object/head', target);
  } catch (error) {
    if (['not_found', 'access_denied'].includes(codeOf(error) ?? '')) return undefined;
    throw error;
  }
}
