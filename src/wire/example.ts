import type { Json } from './json.ts';

const ETAG = '"9b2cf535f27731c974343645a3985328"';
const TIME = '2026-01-31T09:30:00.000Z';

/** Example values by the name of the member or parameter. */
const BY_NAME: Readonly<Record<string, unknown>> = {
  accessKeyId: 'SVCHPAMXVTETGL7QEFKP',
  access_token: 'kq3vX1mN0o5yQ2sT8wZb7cJ4dR6fG9hLpA1eU0iYtMs',
  action: 'objects:get',
  address: '203.0.113.9',
  after: TIME,
  at: TIME,
  before: TIME,
  bytes: 48_213,
  bucket: 'photos',
  buckets: 'photos',
  checked_at: TIME,
  claims: 'groups',
  checks: { sessions: 'ok', state: 'ok' },
  client_id: 'svc-desktop',
  code: 'access_denied',
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
  code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
  content_type: 'image/jpeg',
  contentType: 'image/jpeg',
  createdAt: TIME,
  created_at: TIME,
  credential_id: '2mLk9wQx',
  credentialId: '2mLk9wQx',
  credential: 'svc_ak_2mLk9wQx_kq3vX1mN0o5yQ2sT8wZb7cJ4dR6fG9hL',
  cursor: 'q1YqSyxSslJQ',
  deleted: '2025/summer/beach.jpg',
  delimiter: '/',
  duration_ms: 12.5,
  durationMs: 12.5,
  description: 'nightly backup',
  detail: 'the ID token is not valid: its `aud` does not fit; sign in again',
  endedSessions: 2,
  endSessionUrl: 'https://id.example.com/logout?id_token_hint=eyJ',
  error: 'invalid_grant',
  error_description: 'the code is expired, used or does not match',
  etag: ETAG,
  expires: TIME,
  expiresAt: TIME,
  expires_at: TIME,
  expires_in: 3600,
  expiresIn: 3600,
  face: 'http',
  from: TIME,
  group: 'staff',
  groups: 'photographers',
  groups_claim: 'groups',
  groupsClaim: 'groups',
  id: '2mLk9wQx',
  initiated: TIME,
  instance: 'files-1',
  issuer: 'https://id.example.com',
  iss: 'https://id.example.com',
  keptDays: 30,
  kept_days: 30,
  key: '2025/summer/beach.jpg',
  keysLeftOut: 0,
  keys_left_out: 0,
  keys: '2025/summer/beach.jpg',
  lastModified: TIME,
  lastSentAt: TIME,
  lastUsed: TIME,
  lastUsedAt: TIME,
  last_modified: TIME,
  last_sent_at: TIME,
  last_used: TIME,
  leftOut: 0,
  left_out: 0,
  lockedUntil: TIME,
  localRoles: 'viewer',
  local_roles: 'viewer',
  line: 1,
  lines: 1,
  max_size: 1_048_576,
  message: 'Your policies do not allow this',
  min_size: 1024,
  n: 1,
  name: 'photos',
  next_cursor: null,
  nextCursor: null,
  number: 1,
  operation: 'object/read',
  part: 1,
  path: 'body.key',
  person: 'ada',
  place: 0,
  policies: 'photographers',
  policy: 'photographers',
  plannedAt: TIME,
  planned_at: TIME,
  policy_revision: '4f2a9c',
  policyRevision: '4f2a9c',
  prefix: '2025/',
  prefixes: '2025/',
  provider: 'main',
  providerError: 'access_denied',
  provider_error: 'access_denied',
  q: 'beach',
  reason: null,
  redirect_uri: 'http://127.0.0.1:49152/callback',
  request_id: '0b0c8f3e-9c43-4d0f-9f0a-0d9a3a1f7f55',
  requestId: '0b0c8f3e-9c43-4d0f-9f0a-0d9a3a1f7f55',
  resource: 'main/photos/2025/summer/beach.jpg',
  return_to: '/main/photos/',
  role: 'viewer',
  roles: 'viewer',
  rotatedAt: null,
  revoked: 2,
  rule: 0,
  secretAccessKey: 'kq3vX1mN0o5yQ2sT8wZb7cJ4dR6fG9hLpA1eU0iY',
  seen: 1000,
  seq: 1841,
  since: TIME,
  size: 48_213,
  state: 'af0ifjsldkj',
  subject: 'ada',
  subjectClaim: 'sub',
  subject_claim: 'sub',
  time: TIME,
  ticket: 'kq3vX1mN0o5yQ2sT8wZb7cJ4dR6fG9hLpA1eU0iYtMs',
  to: TIME,
  token_type: 'Bearer',
  took_ms: 24,
  total: 12,
  url: 'https://storage.example.com/photos/2025/summer/beach.jpg?X-Amz-Signature=6b1f',
  value: 'summer',
  version: '0.1.0',
  via: 'web',
  why: 'access_denied',
};

type Schema = {
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly minimum?: number;
};

/**
 * A value that is valid for a schema, the same at each call.
 *
 * @param name - the name of the member or parameter that has this schema.
 */
export function exampleOf(schema: Schema, name = ''): unknown {
  if (schema.examples !== undefined) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  const [choice] = schema.oneOf ?? (schema.properties === undefined ? schema.anyOf : undefined) ?? [];
  if (choice !== undefined) return exampleOf(choice, name);
  if (schema.type === 'array') return [exampleOf(schema.items ?? {}, name)];
  if (schema.properties !== undefined) return exampleOfMembers(schema.properties);
  if (name in BY_NAME) return BY_NAME[name];
  if (schema.type === 'boolean') return true;
  return schema.default ?? schema.minimum ?? {};
}

function exampleOfMembers(properties: Readonly<Record<string, Schema>>): Json {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, exampleOf(schema, name)]));
}
