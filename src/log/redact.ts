/**
 * Removes secrets before a line is logged, in two steps. A member whose name suggests a secret is replaced whatever its value. Text that looks like one of our
 * credentials is cut out of every value, because messages and URLs may contain secrets.
 */

const SECRET_MEMBER =
  /^(authorization|proxy-authorization|cookie|set-cookie|x-amz-security-token|.*secret.*|.*password.*|.*passwd.*|credentials?|.*_?token|.*idtoken.*|code|state|nonce|code_verifier|codeverifier|verifier|ticket|access_?key.*|endsessionurl|end_session_url)$/i;

/** What each secret contains, in characters that JSON does not escape; the whole secret; what is written in its place. */
const SECRET_TEXT: readonly (readonly [contains: RegExp, whole: RegExp, replacement: string])[] = [
  [/svc_/, /\bsvc_ak_[A-Za-z0-9_-]+/g, 'svc_ak_[redacted]'],
  [/svc_/, /\bsvc_(?:session|login)=[^;\s"']+/g, 'svc_cookie=[redacted]'],
  [/\/v1\/transfers\//, /\/v1\/transfers\/[^\s"'?#]+/g, '/v1/transfers/[redacted]'],
  [/Bearer|Basic/, /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]+/gi, '$1 [redacted]'],
  // It looks first whether a dot follows the letters, because a search for it from each `eyJ` would take long.
  [/eyJ/, /(?<![\w-])(?=[\w-]+\.)([\w-]*?)\beyJ[\w-]{8,}\.[\w-]*\.?[\w-]*/g, '$1[redacted token]'],
  [
    /[?&](?:id_token_hint|code|state|code_verifier|client_secret|access_token|X-Amz-|AWSAccessKeyId|Signature)/,
    /([?&](?:id_token_hint|code|state|code_verifier|client_secret|access_token|X-Amz-[A-Za-z-]+|AWSAccessKeyId|Signature)=)[^&\s"']+/gi,
    '$1[redacted]',
  ],
  [/:\/\/[^/]+@/, /(:\/\/)[^/\s:@"']+:[^/\s@"']+@/g, '$1[redacted]@'],
];

const CONTAINS_SECRET = new RegExp(SECRET_TEXT.map(([contains]) => contains.source).join('|'), 'i');

const MAX_DEPTH = 6;

/** Whether a text of JSON may contain what {@link redactText} cuts out. It may say yes in vain. */
export function mayBeSecret(json: string): boolean {
  return CONTAINS_SECRET.test(json);
}

export function redactText(text: string): string {
  let clean = text;
  for (const [, whole, replacement] of SECRET_TEXT) clean = clean.replace(whole, replacement);
  return clean;
}

/** A copy that is safe to log: plain data, errors as `{name, code, message, stack, cause}`. */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return typeof value === 'function' ? '[function]' : value;
  if (depth >= MAX_DEPTH) return '[deep]';
  if (value instanceof Error) return redactError(value, depth);
  if (value instanceof Date) return value.toISOString();
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) return value.slice(0, 100).map((item) => redact(item, depth + 1));
  const clean: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    clean[name] = SECRET_MEMBER.test(name) && !isErrorCode(name, member) ? '[redacted]' : redact(member, depth + 1);
  }
  return clean;
}

/** Copies only known members, because members of foreign errors often contain whole requests and responses. */
function redactError(error: Error, depth: number): Record<string, unknown> {
  const clean: Record<string, unknown> = { name: error.name, message: redactText(error.message) };
  if ('code' in error && (typeof error.code === 'string' || typeof error.code === 'number')) clean['code'] = error.code;
  if (error.stack !== undefined) clean['stack'] = redactText(error.stack);
  if (error.cause !== undefined) clean['cause'] = redact(error.cause, depth + 1);
  return clean;
}

/** `code` may name an authorization code or an error code. Error codes, ours and Node's, are words and never random. */
function isErrorCode(name: string, member: unknown): boolean {
  return (
    name === 'code' &&
    typeof member === 'string' &&
    /^(?:[a-z]+(?:_[a-z]+)*|[A-Z][A-Z0-9_]+)$/.test(member) &&
    member.length <= 40
  );
}
