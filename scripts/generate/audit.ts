import { operations } from '../../src/audit/operations.ts';
import { rowsOfService } from '../../src/http/rows.ts';
import { rpcSchemas } from '../../src/wire/rpc.ts';

const HEAD = `# Audit

<!-- Made from src/audit/operations.ts and the rows of both faces by \`npm run build:docs\`. Do not edit. -->

Log lines with \`"audit": true\` say who did what. An operation writes one line, when it has ended, whichever way it was asked for.
With \`audit.path\` the lines are kept in files of their own, where a change has a second line before it is begun: see [the audit in files](audit-store.md).

| Member | Says |
|---|---|
| \`operation\` | what was asked for, by the names below |
| \`outcome\` | \`done\`, \`denied\`, \`failed\`, or \`partly\`: some of its resources were done, others not |
| \`why\` | why the whole did not go on: a code of [errors](errors.md), an OAuth code where a desktop code was exchanged, or \`client_gone\`, \`session_ended\`, \`session_expired\`: with these three, what was under way may have been done in storage all the same |
| \`issuer\`, \`subject\`, \`name\` | who asked; empty while nobody is signed in |
| \`via\` | \`web\`, \`desktop\`, \`apiKey\`, \`anonymous\` (sign-in is off) or \`unknown\` (nobody is signed in) |
| \`credentialId\` | the public id of their session or key |
| \`address\` | where the request came from, behind the proxies that are trusted |
| \`requestId\` | \`X-Request-Id\` of the answer; a message on a WebSocket has an id of its own |
| \`resources\` | what it was about, each with its own \`outcome\` |
| \`line\`, \`lines\` | where there are more than 100 resources: they go on in further lines with the same \`requestId\` |

Each of \`resources\` has:

| Member | Says |
|---|---|
| \`resource\` | \`provider/bucket/key\`, \`session/ID\` or \`apiKey/ID\` |
| \`action\` | what policy was asked; absent where it is not asked |
| \`outcome\` | \`done\`, \`denied\`, \`failed\`, or \`untouched\`: allowed, but nothing was done because another resource was not |
| \`why\` | \`explicit_deny\` or \`no_matching_allow\` where it was denied, else the code of what failed |
| \`rule\` | the rule that denied it: the name of the policy and the place in it, from 0 |
| \`of\` | whose session or key it is |

A request that is refused because nobody is signed in (401) has no line, and neither has one over the limit of sign-ins (429), or a sign-in or an exchange of a code that nobody began (\`login_invalid\`, \`invalid_request\`, \`invalid_grant\`, \`unsupported_grant_type\`), or one of a stranger while the identity provider is away (\`identity_provider_unavailable\`, \`identity_provider_timeout\`): anybody could fill the log with them. The metrics count them, by row and status. A sign-in that fails after the identity provider has named somebody, and a code that was made for somebody and is refused, have a line that names them. A code that is used a second time has a line, with the session that it ends. A request that a browser says another site made is \`denied\` by \`origin_mismatch\`, and names nobody; one with a foreign \`Origin\` is refused before it is an operation.
Object keys stand in these lines; treat the log accordingly.

The kind of an operation is \`change\` when it changes something or hands out something that can be used later, \`content\` when it moves the content of objects, and \`read\` when it reads names and settings.

| Operation | HTTP | JSON-RPC | Kind | A line is written | Resources |
|---|---|---|---|---|---|
`;

/** docs/audit.md: what the line of each operation says, and which routes and methods write it. */
export function auditReference(): string {
  const rows = rowsOfService();
  const lines = Object.entries(operations).map(([name, { kind, names }]) => {
    const routes = rows.filter((row) => row.operation === name).map(({ method, path }) => `\`${method.toUpperCase()} ${path}\``);
    const method = Object.hasOwn(rpcSchemas, name) ? `\`${name}\`` : '';
    return `| \`${name}\` | ${routes.join('<br>')} | ${method} | ${kind} | ${kind !== 'read' ? 'always' : 'when denied or failed'} | ${names} |\n`;
  });
  return HEAD + lines.join('');
}
