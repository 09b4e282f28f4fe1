import { explainDecision, listBindings, listPolicies, listRoles } from '../../operation/policies.ts';
import { listSessions, revokeSession } from '../../operation/sessions.ts';
import { row } from '../row.ts';

const tag = 'Administration';

/** Who can do what, and who is signed in, for the admin role. */
export const adminRows = [
  row({ method: 'get', path: '/api/admin/roles', operation: listRoles, tag, summary: 'List every role', answers: { 200: { description: 'The roles and the policies that they bundle.' } } }),
  row({ method: 'get', path: '/api/admin/policies', operation: listPolicies, tag, summary: 'List every compiled policy', answers: { 200: { description: 'The normalized rules that decisions are made from.' } } }),
  row({ method: 'get', path: '/api/admin/bindings', operation: listBindings, tag, summary: 'List every binding', answers: { 200: { description: 'Which groups and subjects get which role or policies.' } } }),
  row({ method: 'get', path: '/api/admin/sessions', operation: listSessions, tag, summary: 'List every active session', answers: { 200: { description: 'Who is signed in, since when and until when.' } } }),
  row({
    method: 'delete',
    path: '/api/admin/sessions/:id',
    operation: revokeSession,
    tag,
    summary: 'Revoke a session',
    description: 'It ends at once, with its open connections and transfer tickets.',
    answers: { 204: { description: 'The session has ended.' } },
    problems: ['not_found'],
  }),
  row({
    method: 'post',
    path: '/api/admin/explain',
    operation: explainDecision,
    tag,
    summary: 'Say whether a person may do something, and which rules decide it',
    description: 'Nothing is done, and storage is not asked. The person need not exist.',
    body: ['issuer', 'subject', 'groups', 'action', 'provider', 'bucket', 'key'],
    answers: { 200: { description: 'The decision, and the rules that it comes from.' } },
  }),
];
