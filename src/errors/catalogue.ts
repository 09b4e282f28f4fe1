/**
 * Every error that a client can receive, with its HTTP status, its JSON-RPC code and its title.
 *
 * `docs/errors.md` is generated from this list.
 */
export const catalogue = {
  invalid_request: { status: 400, rpc: -32602, title: 'The request is not valid' },
  session_required: { status: 401, rpc: -32001, title: 'Sign in first' },
  login_invalid: { status: 401, rpc: -32001, title: 'This sign-in is not valid' },
  login_replayed: { status: 401, rpc: -32001, title: 'This sign-in was already used' },
  login_rejected: { status: 401, rpc: -32001, title: 'The identity provider answered with a token that is not valid' },
  login_refused: { status: 403, rpc: -32003, title: 'The identity provider refused the sign-in' },
  person_suspended: { status: 403, rpc: -32003, title: 'You are suspended' },
  access_denied: { status: 403, rpc: -32003, title: 'Your policies do not allow this' },
  admin_required: { status: 403, rpc: -32003, title: 'This needs the admin role' },
  interactive_session_required: { status: 403, rpc: -32003, title: 'This needs an interactive session' },
  origin_mismatch: { status: 403, rpc: -32003, title: 'The request comes from another origin' },
  not_found: { status: 404, rpc: -32004, title: 'Not found' },
  method_not_allowed: { status: 405, rpc: -32601, title: 'This method is not available here' },
  bucket_exists: { status: 409, rpc: -32009, title: 'The bucket exists already' },
  bucket_not_empty: { status: 409, rpc: -32009, title: 'The bucket is not empty' },
  api_key_capacity: { status: 409, rpc: -32009, title: 'There are as many keys as are allowed' },
  conflict: { status: 409, rpc: -32009, title: 'The request conflicts with the current state' },
  precondition_failed: { status: 412, rpc: -32009, title: 'A precondition did not hold' },
  payload_too_large: { status: 413, rpc: -32602, title: 'The request body is too large' },
  unsupported_media_type: { status: 415, rpc: -32600, title: 'The request body has a type that is not accepted' },
  range_not_satisfiable: { status: 416, rpc: -32602, title: 'The range is outside of the object' },
  rate_limited: { status: 429, rpc: -32029, title: 'Too many requests' },
  internal: { status: 500, rpc: -32603, title: 'Something went wrong on the server' },
  not_supported: { status: 501, rpc: -32050, title: 'This operation is not supported' },
  identity_provider_unavailable: { status: 502, rpc: -32050, title: 'The identity provider is unavailable' },
  storage_unavailable: { status: 502, rpc: -32050, title: 'The storage provider is unavailable' },
  session_store_unavailable: { status: 503, rpc: -32050, title: 'The session store cannot be reached' },
  audit_unavailable: { status: 503, rpc: -32050, title: 'The audit cannot be written' },
  overloaded: { status: 503, rpc: -32050, title: 'The service is busy' },
  state_unavailable: { status: 503, rpc: -32050, title: 'The state database cannot be used' },
  session_capacity: { status: 503, rpc: -32050, title: 'No further session can be started' },
  identity_provider_timeout: { status: 504, rpc: -32050, title: 'The identity provider is too slow' },
  storage_timeout: { status: 504, rpc: -32050, title: 'The storage provider is too slow' },
} as const satisfies Record<string, { status: number; rpc: number; title: string }>;

export type ErrorCode = keyof typeof catalogue;
