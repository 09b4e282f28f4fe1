import type { IncomingMessage } from 'node:http';
import type { Tickets } from '../access/ticket.ts';
import { guarded, type GuardParts } from './routing/guard.ts';
import { openapiOf } from './openapi/document.ts';
import { operationRoute, type OperationRouteParts } from './routing/operation-route.ts';
import type { Route } from './routing/route.ts';
import { healthRoutes, type ReadinessCheck } from './rows/routes-health.ts';
import { referenceRoutes } from './pages/routes-reference.ts';
import { signInRoutes, type SignInRouteParts } from './signin/routes-sign-in.ts';
import { v1AuthRoutes, type V1AuthParts } from './signin/routes-v1-auth.ts';
import { adminRows } from './rows/admin.ts';
import { bucketRows } from './rows/buckets.ts';
import { objectRows } from './rows/objects.ts';
import { permissionRows } from './rows/permissions.ts';
import { placeRows } from './rows/places.ts';
import { searchRows } from './rows/search.ts';
import { sessionRows } from './rows/sessions.ts';
import { transferRows } from './rows/transfers.ts';
import { uploadRows } from './rows/uploads.ts';
import { versionRows } from './rows/versions.ts';
import { ticketRoutes } from './rows/ticket-routes.ts';

export type RowParts = GuardParts &
  OperationRouteParts & {
    readonly tickets: Tickets;
    readonly signIn: SignInRouteParts;
    readonly v1: V1AuthParts;
    readonly checks: readonly ReadinessCheck[];
    readonly isSignedIn: (req: IncomingMessage) => Promise<boolean>;
    readonly version: string;
  };

/** Every route of the service. The most used routes come first. */
export function rowsOf(parts: RowParts): readonly Route[] {
  const performed = [
    ...permissionRows,
    ...objectRows,
    ...searchRows,
    ...transferRows,
    ...uploadRows,
    ...bucketRows,
    ...versionRows,
    ...placeRows,
    ...adminRows,
  ].map((row) => operationRoute(row, parts));
  const byHand = [
    ...signInRoutes(parts.signIn),
    ...v1AuthRoutes(parts.v1),
    ...healthRoutes(parts.version, parts.checks, parts.isSignedIn),
    ...referenceRoutes(() => openapiOf(rows, parts.version)),
  ];
  const rows: readonly Route[] = [
    ...performed,
    ...ticketRoutes(parts.tickets, parts),
    ...byHand.map((row) => guarded(row, parts)),
    ...sessionRows.map((row) => operationRoute(row, parts)),
  ];
  return rows;
}

/** The OpenAPI document of a service with an identity provider. Nothing is started. */
export function documentOf(version: string): Record<string, unknown> {
  return openapiOf(inertRows(version, true), version);
}

/** All routes, with an identity provider and with local users, for the documentation. */
export function rowsOfService(): readonly Route[] {
  const rows = inertRows('', true);
  return [
    ...rows,
    ...inertRows('', false).filter(
      ({ method, path }) => !rows.some((row) => row.method === method && row.path === path),
    ),
  ];
}

/** Routes without working parts, for the documentation; they never answer a request. */
export function inertRows(version: string, hasProvider: boolean): readonly Route[] {
  const inert = {} as never;
  const local = hasProvider ? undefined : inert;
  return rowsOf({
    performer: inert,
    identify: inert,
    ownOrigin: inert,
    faults: inert,
    audit: inert,
    tickets: inert,
    signIn: { flow: inert, identify: inert, faults: inert, authEnabled: true, local },
    v1: { flow: inert, sessions: inert, desktopCodes: inert, authEnabled: true, local },
    checks: [],
    isSignedIn: inert,
    version,
  });
}
