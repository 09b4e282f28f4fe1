import { operations } from '../../src/audit/operations.ts';
import { rowsOfService } from '../../src/http/rows.ts';
import { rpcSchemas } from '../../src/wire/rpc.ts';

const HEAD = `# Audit

<!-- Made from src/audit/operations.ts and the rows of both faces by \`npm run build:docs\`. Do not edit. -->

Log lines with \`"audit": true\` say who did what. Each operation writes one line when it has ended, whether it was requested by HTTP, JSON-RPC or a transfer ticket.
With \`audit.path\`, svc keeps these lines in separate files instead of the log, and each change has a second line, written before the change begins: see [the audit in files](audit-store.md).

| Member | Meaning |
|---|---|
| \`operation\` | the name of the operation; the table below lists all of them |
| \`outcome\` | \`done\`, \`denied\`, \`failed\`, or \`partly\` (some of its resources were done, others were not) |
| \`why\` | the reason why the operation as a whole did not succeed: an [error code](errors.md), an OAuth error code for the exchange of a desktop code, or \`client_gone\`, \`session_ended\` or \`session_expired\`. With these last three, storage may have completed the work that was in progress |
| \`issuer\`, \`subject\`, \`name\` | the person who made the request; empty if nobody is signed in |
| \`via\` | \`web\`, \`desktop\`, \`apiKey\`, \`s3Key\`, \`webIdentity\` (a session for a token of a trusted issuer), \`anonymous\` (sign-in is off) or \`unknown\` (nobody is signed in) |
| \`credentialId\` | the public ID of the session or key |
| \`address\` | the client address, as reported by trusted proxies |
| \`requestId\` | the \`X-Request-Id\` of the response; a message on a WebSocket has its own ID |
| \`resources\` | the resources of the operation, each with its own \`outcome\` |
| \`line\`, \`lines\` | present if there are more than 100 resources: the rest follow in further lines with the same \`requestId\` |

Each entry of \`resources\` has these members:

| Member | Meaning |
|---|---|
| \`provider\`, \`bucket\`, \`key\` | the object; the bucket if there is no \`key\`, the provider if there is no \`bucket\` |
| \`prefix\` | in place of \`key\`: the start of the keys, for a listing, a search or a folder of an archive; empty for the whole bucket |
| \`session\`, \`apiKey\`, \`s3Key\`, \`person\` | the public ID of a session or of a key, or the subject of a person; only one of these, and without a provider |
| \`resource\` | all of these as one text for people: \`provider/bucket/key\`, \`session/ID\`, \`apiKey/ID\`, \`s3Key/ID\` or \`person/SUBJECT\`. Queries and exports add it, and the lines do not have it |
| \`action\` | the action that policy was asked about; absent if policy was not asked |
| \`outcome\` | \`done\`, \`denied\`, \`failed\`, or \`untouched\` (allowed, but not done because of another resource) |
| \`why\` | if denied, \`explicit_deny\` or \`no_matching_allow\`; if failed, the error code |
| \`rule\` | the rule that denied the request: the name of the policy, and the index of the rule in it, from 0; for people, the pages and the command line count rules from 1 |
| \`version\` | the version of the object, when the request named one |
| \`of\` | the owner of the session or API key |

A request has no line if it has no valid credential and changes nothing, because anybody could fill the log with such requests. Examples are a request that is refused because nobody is signed in, a sign-in that fails before the identity provider names a person, an unknown transfer ticket, a sign-out without a session, and a sign-out at the identity provider that ends no session here. A request with a foreign \`Origin\` is refused before it becomes an operation, and has no line either. The metrics count these requests by route and status.

\`server.rate_limit.sign_in_per_minute\` limits, for each client address, the requests of a sign-in, separately those that send an invalid logout token, and separately the other requests without a valid credential that name an unknown ticket, end no session or come from another site, and separately those for a session of S3 with a token of a trusted issuer to whose subject and groups nothing is bound. Beyond the limit the answer is 429; requests with a valid session or ticket are not affected. Their lines have no limit, also those of refused requests: each names the person, whom an administrator can suspend.

These requests have a line:

- a sign-in that fails after the identity provider named a person; the line names the person
- a session of S3 that is refused because nothing is bound to the subject and the groups of the token; the line names the subject
- a desktop code that was issued to a person and is refused; the line names the person
- a desktop code that is used a second time; the line names the session that this ends
- a request that another site made, according to the browser; it is \`denied\` with \`origin_mismatch\`, and names the person whose session the browser sent

Audit lines contain object keys: protect the log accordingly.

An operation has one of three kinds. A \`change\` changes something, or issues something that can be used later. \`content\` transfers the content of objects. A \`read\` reads names and settings. A \`HEAD\` request for an object transfers no content: it is recorded as \`object/head\`, or as \`object/read\` when it is denied.

| Operation | HTTP | JSON-RPC | Kind | Line is written | Resources |
|---|---|---|---|---|---|
`;

/** docs/audit.md: the members of an audit line, and the routes and methods of each operation. */
export function auditReference(): string {
  const rows = rowsOfService();
  const lines = Object.entries(operations).map(([name, { kind, names }]) => {
    const routes = rows
      .filter((row) => row.operation === name)
      .map(({ method, path }) => `\`${method.toUpperCase()} ${path}\``);
    const method = Object.hasOwn(rpcSchemas, name) ? `\`${name}\`` : '';
    return `| \`${name}\` | ${routes.join('<br>')} | ${method} | ${kind} | ${kind !== 'read' ? 'always' : 'when denied or failed'} | ${names} |\n`;
  });
  return HEAD + lines.join('');
}
