import { listAudit, listSinks } from '../../operation/audit.ts';
import { checkProviders } from '../../operation/buckets.ts';
import { explainDecision, listBindings, listPolicies, listRoles } from '../../operation/policies.ts';
import { viewAs } from '../../operation/view-as.ts';
import { listSessions, revokeSession, revokeSessionsOfPerson } from '../../operation/sessions.ts';
import { listSignIns } from '../../operation/sign-ins.ts';
import { whoMayDo } from '../../operation/who.ts';
import { row } from '../routing/row.ts';

const tag = 'Administration';

/** Routes for administrators: who may do what, and who is signed in. */
export const adminRows = [
  row({
    method: 'get',
    path: '/api/admin/roles',
    operation: listRoles,
    tag,
    summary: 'List every role',
    answers: { 200: { description: 'Each role with its policies.' } },
  }),
  row({
    method: 'get',
    path: '/api/admin/policies',
    operation: listPolicies,
    tag,
    summary: 'List every compiled policy',
    answers: { 200: { description: 'Each policy with its normalized rules, from which decisions are made.' } },
  }),
  row({
    method: 'get',
    path: '/api/admin/bindings',
    operation: listBindings,
    tag,
    summary: 'List every binding',
    answers: {
      200: { description: 'Each binding with its groups or subjects, and the role or policies that they get.' },
    },
  }),
  row({
    method: 'get',
    path: '/api/admin/providers',
    operation: checkProviders,
    tag,
    summary: 'Check every storage provider',
    description:
      'Sends a read-only request to each provider. Results are cached for five seconds, and a check takes at most five seconds.',
    answers: {
      200: { description: 'The providers that respond, the problems of the others, and the times of the checks.' },
    },
  }),
  row({
    method: 'get',
    path: '/api/admin/sessions',
    operation: listSessions,
    tag,
    summary: 'List active sessions',
    description: 'Lists entries in pages, latest first.',
    query: ['person', 'group', 'cursor', 'limit'],
    answers: {
      200: {
        description: 'The active sessions with the person, their beginning and expiry, the address, and the last use.',
      },
    },
  }),
  row({
    method: 'get',
    path: '/api/admin/sign-ins',
    operation: listSignIns,
    tag,
    summary: 'List the latest sign-ins',
    description:
      'The latest 500 sign-ins and refusals of people whom the identity provider named, of all instances that share their sessions, in pages. Sign-ins that failed before the provider named anybody are listed separately: the latest 100, with `result=unknown`.',
    query: ['person', 'group', 'result', 'cursor', 'limit'],
    answers: {
      200: {
        description:
          'The response of the identity provider, the claims and bindings that were used, and the reason of a refusal.',
      },
    },
  }),
  row({
    method: 'post',
    path: '/api/admin/sessions/revoke',
    operation: revokeSessionsOfPerson,
    tag,
    summary: 'Revoke every session of a person',
    description:
      'The sessions end at once, with their open connections and transfer tickets. The person can sign in again, and their API keys stay.',
    body: ['issuer', 'subject'],
    answers: { 200: { description: 'Number of ended sessions.' } },
  }),
  row({
    method: 'delete',
    path: '/api/admin/sessions/:id',
    operation: revokeSession,
    tag,
    summary: 'Revoke a session',
    description: 'The session ends at once. Its open connections and transfer tickets end with it.',
    answers: { 204: { description: 'The session has ended.' } },
    problems: ['not_found'],
  }),
  row({
    method: 'post',
    path: '/api/admin/explain',
    operation: explainDecision,
    tag,
    summary: 'Explain whether a person may do something',
    description:
      'Asks only policy, not storage, and changes nothing. The person does not have to exist. Without `action`, every action is explained.',
    body: ['issuer', 'subject', 'groups', 'action', 'provider', 'bucket', 'prefix', 'key'],
    answers: { 200: { description: 'The decision, and every rule that matches.' } },
  }),
  row({
    method: 'get',
    path: '/api/admin/audit',
    operation: listAudit,
    tag,
    summary: 'Query the audit',
    description:
      'Lists entries in pages, latest first, of all instances whose files are here. An entry has to match all filters. Without `audit.path` in the configuration, there is no audit to query.',
    query: [
      'subject',
      'issuer',
      'provider',
      'bucket',
      'key',
      'resource',
      'operation',
      'only',
      'outcome',
      'from',
      'to',
      'cursor',
      'limit',
    ],
    answers: { 200: { description: 'The operations, with the person, the resources and the outcome.' } },
    problems: ['not_found'],
  }),
  row({
    method: 'get',
    path: '/api/admin/audit/sinks',
    operation: listSinks,
    tag,
    summary: 'Show the receivers of the audit',
    description:
      'What waits for each sink, when it last took lines, and its latest failures, as the process that answers knows it. Addresses are shortened to their host.',
    answers: { 200: { description: 'The sinks in the order of the configuration.' } },
    problems: ['not_found'],
  }),
  row({
    method: 'get',
    path: '/api/admin/who',
    operation: whoMayDo,
    tag,
    summary: 'Name who may do something at a place',
    description:
      'Every group and person that a rule affects there, with each rule and the binding that gives it, in the order of the configuration. Storage is not asked.',
    query: ['action', 'provider', 'bucket', 'prefix', 'key', 'cursor', 'limit'],
    answers: {
      200: {
        description:
          'The groups and people who may, those whom a rule denies it, and the decision for everybody else who is signed in.',
      },
    },
  }),
  row({
    method: 'post',
    path: '/api/admin/view-as',
    operation: viewAs,
    tag,
    summary: 'Show what the UI would show to a person',
    description:
      'Providers, and the buckets and places that configuration and policy name, with the actions that the person may perform there. Only policy is asked, not storage, so the answer contains no stored names. The audit records who made the request.',
    body: ['issuer', 'subject', 'groups'],
    answers: { 200: { description: 'The view of the person.' } },
  }),
];
