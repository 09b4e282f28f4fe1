import { invalidRequest } from '../access/invalid.ts';
import type { Targets } from '../access/target.ts';
import type { Tickets } from '../access/ticket.ts';
import type { RpcMethods } from './method.ts';

/** @param home - origin and base path that clients reach the service at. */
export function transferMethods(tickets: Tickets, targets: Targets, home: string): RpcMethods {
  return {
    'transfer/create': {
      call: async ({ direction, provider, bucket, key, upload }, { caller, trail }) => {
        if (upload !== undefined && direction !== 'upload') throw invalidRequest({ path: 'params.upload', message: 'goes with the direction `upload`' });
        const { ticket, expiresAt } = await tickets.issue(caller, direction, { target: targets.object(provider, bucket, key), upload }, trail);
        return { url: `${home}/v1/transfers/${ticket}`, method: direction === 'download' ? ('GET' as const) : ('PUT' as const), expiresAt: new Date(expiresAt).toISOString() };
      },
    },
  };
}
