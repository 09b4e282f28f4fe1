import type { IncomingMessage } from 'node:http';
import { health, readiness } from '../../wire/health.ts';
import { atMostEvery } from './at-most-every.ts';
import { route, type HandRoute } from '../routing/route.ts';

/** A part that readiness checks. `check` resolves when the part can be used. */
export type ReadinessCheck = { readonly name: string; readonly check: () => Promise<void> };

/** Anybody may ask whether the service is ready, and each check writes to a store. */
const CHECKED_FOR_MS = 1_000;

/** @param isSignedIn - only signed-in people learn which part fails. */
export function healthRoutes(
  version: string,
  checks: readonly ReadinessCheck[],
  isSignedIn: (req: IncomingMessage) => Promise<boolean>,
): HandRoute[] {
  // While the session store fails, everybody counts as not signed in.
  const mayKnow = (req: IncomingMessage) => isSignedIn(req).catch(() => false);
  const outcomesOf = atMostEvery(CHECKED_FOR_MS, () =>
    Promise.all(
      checks.map(
        async ({ name, check }) =>
          [
            name,
            await check().then(
              () => 'ok' as const,
              () => 'failed' as const,
            ),
          ] as const,
      ),
    ),
  );
  return [
    route({
      method: 'get',
      path: '/api/health',
      tag: 'Operation',
      operation: 'service/read',
      summary: 'Check that the process answers',
      description: 'Checks no dependency. Meant for a liveness probe.',
      access: { kind: 'open' },
      responses: { 200: { description: 'The process answers.', schema: health } },
      handle: () => ({ status: 200, json: { status: 'ok', version } }),
    }),
    route({
      method: 'get',
      path: '/api/ready',
      tag: 'Operation',
      operation: 'service/read',
      summary: 'Check that the service can do its work',
      description:
        'Checks the session store, the state database and the audit in files, at most once a second. Meant for a readiness probe. Only signed-in callers learn which check failed.',
      access: { kind: 'open' },
      responses: {
        200: { description: 'Every part can be used.', schema: readiness },
        503: { description: 'At least one part fails.', schema: readiness },
      },
      handle: async ({ req }) => {
        const outcomes = await outcomesOf();
        const ready = outcomes.every(([, outcome]) => outcome === 'ok');
        return {
          status: ready ? 200 : 503,
          json: {
            status: ready ? 'ok' : 'failed',
            ...((await mayKnow(req)) && { checks: Object.fromEntries(outcomes) }),
          },
        };
      },
    }),
  ];
}
