import type { IncomingMessage } from 'node:http';
import { health, readiness } from '../wire/health.ts';
import { route, type HandRoute } from './route.ts';

/** A part that readiness asks: resolves when it can be used. */
export type ReadinessCheck = { readonly name: string; readonly check: () => Promise<void> };

/** @param isSignedIn - others learn whether the service is ready, and not which part fails. */
export function healthRoutes(version: string, checks: readonly ReadinessCheck[], isSignedIn: (req: IncomingMessage) => Promise<boolean>): HandRoute[] {
  // A session store that fails cannot tell.
  const mayKnow = (req: IncomingMessage) => isSignedIn(req).catch(() => false);
  return [
    route({
      method: 'get',
      path: '/api/health',
      tag: 'Operation',
      operation: 'service/read',
      summary: 'Whether the process answers',
      description: 'Touches no dependency: for a liveness probe.',
      access: { kind: 'open' },
      responses: { 200: { description: 'It does.', schema: health } },
      handle: () => ({ status: 200, json: { status: 'ok', version } }),
    }),
    route({
      method: 'get',
      path: '/api/ready',
      tag: 'Operation',
      operation: 'service/read',
      summary: 'Whether the service can do its work',
      description: 'Asks the session store and the state database: for a readiness probe.',
      access: { kind: 'open' },
      responses: { 200: { description: 'It can.', schema: readiness }, 503: { description: 'A part fails.', schema: readiness } },
      handle: async ({ req }) => {
        const outcomes = await Promise.all(
          checks.map(async ({ name, check }) => [name, await check().then(() => 'ok' as const, () => 'failed' as const)] as const),
        );
        const ready = outcomes.every(([, outcome]) => outcome === 'ok');
        return { status: ready ? 200 : 503, json: { status: ready ? 'ok' : 'failed', ...((await mayKnow(req)) && { checks: Object.fromEntries(outcomes) }) } };
      },
    }),
  ];
}
