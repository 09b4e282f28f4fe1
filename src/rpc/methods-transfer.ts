import { objectTarget } from '../access/target.ts';
import type { Tickets } from '../access/ticket.ts';
import type { RpcMethods } from './method.ts';

/** @param home - origin and base path that clients reach the service at. */
export function transferMethods(tickets: Tickets, home: string): RpcMethods {
  return {
    'transfer/create': {
      call: async ({ direction, provider, bucket, key }, { caller }) => {
        const { ticket, expiresAt } = await tickets.issue(caller, direction, objectTarget(provider, bucket, key));
        return { url: `${home}/v1/transfers/${ticket}`, method: direction === 'download' ? ('GET' as const) : ('PUT' as const), expiresAt: new Date(expiresAt).toISOString() };
      },
    },
  };
}
