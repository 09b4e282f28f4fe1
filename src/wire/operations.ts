import { adminOperations } from './admin.ts';
import { apiKeyOperations } from './api-key.ts';
import { auditOperations } from './audit.ts';
import { bucketOperations, providerOperations } from './bucket.ts';
import { objectOperations } from './object.ts';
import { personOperations } from './person.ts';
import { placeOperations } from './place.ts';
import { permissionOperations } from './permission.ts';
import { restoreFolderOperations } from './restore-folder.ts';
import type { Wire, WireSchema } from './schema.ts';
import { s3KeyOperations } from './s3-key.ts';
import { searchOperations } from './search.ts';
import { sessionOperations } from './session.ts';
import { signInOperations } from './sign-in.ts';
import { byteOperations, transferOperations, type stream } from './transfer.ts';
import { uploadOperations } from './upload.ts';
import { versionOperations } from './version.ts';
import { watchOperations } from './watch.ts';
import { whoOperations } from './who.ts';

/** Operations whose results can also be streamed as lines. */
const linedOperations = { ...searchOperations, ...restoreFolderOperations };

/** The operations that can be called with JSON-RPC. Their input and output fit into a message. */
export const methods = {
  ...sessionOperations,
  ...providerOperations,
  ...bucketOperations,
  ...objectOperations,
  ...versionOperations,
  ...watchOperations,
  ...linedOperations,
  ...permissionOperations,
  ...placeOperations,
  ...whoOperations,
  ...auditOperations,
  ...transferOperations,
  ...uploadOperations,
  ...signInOperations,
  ...personOperations,
  ...apiKeyOperations,
  ...s3KeyOperations,
};

/** The input and output of each operation. The server validates requests with them, and clients derive their types from them. Times are RFC 3339. */
export const shapes = { ...methods, ...adminOperations, ...byteOperations };

export type OperationName = keyof typeof shapes;

type InputOf<N extends OperationName> = (typeof shapes)[N]['input'];
type OutputOf<N extends OperationName> = (typeof shapes)[N]['output'];

// The compiler builds this table of types once. Computing a type at each use takes a hundred times as long.
type Inputs = { readonly [N in OperationName]: Wire<InputOf<N>> };
type Outputs = { readonly [N in OperationName]: OutputOf<N> extends WireSchema ? Wire<OutputOf<N>> : never };

export type OperationInput<N extends OperationName> = Inputs[N];
/** The output of an operation; `never` for an operation that answers with bytes. */
export type OperationOutput<N extends OperationName> = Outputs[N];
/** The name of an operation whose result can also be streamed as lines. */
export type LinedName = keyof typeof linedOperations;
export type OperationLine<N extends LinedName> = Wire<(typeof linedOperations)[N]['line']>;
export type StreamedName = { [N in OperationName]: OutputOf<N> extends typeof stream ? N : never }[OperationName];
