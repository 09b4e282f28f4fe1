import type { IncomingMessage } from 'node:http';
import type { CredentialWatch } from '../access/credential-watch.ts';
import type { KeyedParts } from './keyed-parts.ts';
import type { Route } from './route.ts';
import { endingWithCaller } from './held-open.ts';
import { adminRoutes, type AdminParts } from './routes-admin.ts';
import { explainRoutes } from './routes-explain.ts';
import { bucketRoutes } from './routes-bucket.ts';
import { healthRoutes, type ReadinessCheck } from './routes-health.ts';
import { objectRoutes } from './routes-object.ts';
import { permissionRoutes } from './routes-permission.ts';
import { referenceRoutes } from './routes-reference.ts';
import { signInRoutes, type SignInRouteParts } from './routes-sign-in.ts';
import { ticketRoutes, type TicketRouteParts } from './routes-ticket.ts';
import { transferRoutes } from './routes-transfer.ts';
import { uploadRoutes } from './routes-upload.ts';
import { v1AuthRoutes, type V1AuthParts } from './routes-v1-auth.ts';
import { openapiOf } from './openapi/document.ts';

export type RowParts = KeyedParts & {
  readonly watch: CredentialWatch;
  readonly signIn: SignInRouteParts;
  readonly v1: V1AuthParts;
  readonly ticket: TicketRouteParts;
  readonly admin: AdminParts;
  readonly checks: readonly ReadinessCheck[];
  readonly isSignedIn: (req: IncomingMessage) => Promise<boolean>;
  readonly version: string;
};

export type Rows = { readonly rows: readonly Route[]; readonly document: Record<string, unknown> };

/** Every row of the service, and the OpenAPI document that is made from them. Those asked most come first. */
export function rowsOf({ storage, targets, watch, signIn, v1, ticket, admin, checks, isSignedIn, version }: RowParts): Rows {
  const keyed = { storage, targets };
  const rows: readonly Route[] = [
    ...permissionRoutes(targets),
    ...objectRoutes(keyed),
    ...transferRoutes(keyed).map((row) => endingWithCaller(watch, row)),
    ...uploadRoutes(keyed).map((row) => (row.body === 'stream' ? endingWithCaller(watch, row) : row)),
    ...bucketRoutes(storage),
    ...signInRoutes(signIn),
    ...v1AuthRoutes(v1),
    ...ticketRoutes(ticket),
    ...adminRoutes(admin),
    ...explainRoutes({ ...admin, targets }),
    ...healthRoutes(version, checks, isSignedIn),
    ...referenceRoutes(() => document),
  ];
  const document = openapiOf(rows, version);
  return { rows, document };
}

/** The OpenAPI document of a service with an identity provider, without one that runs. */
export function documentOf(version: string): Record<string, unknown> {
  return inertRows(version, true).document;
}

/** The rows of every way to run the service, for the documentation. */
export function rowsOfService(): readonly Route[] {
  const { rows } = inertRows('', true);
  return [...rows, ...inertRows('', false).rows.filter(({ method, path }) => !rows.some((row) => row.method === method && row.path === path))];
}

/** No row of these is ever asked to answer. */
function inertRows(version: string, hasProvider: boolean): Rows {
  const inert = {} as never;
  const local = hasProvider ? undefined : inert;
  return rowsOf({
    storage: inert,
    targets: inert,
    watch: inert,
    signIn: { flow: inert, identify: inert, authEnabled: true, local },
    v1: { flow: inert, sessions: inert, desktopCodes: inert, authEnabled: true, local },
    ticket: inert,
    admin: inert,
    checks: [],
    isSignedIn: inert,
    version,
  });
}
