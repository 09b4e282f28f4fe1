import { listAudit } from '../../operation/audit.ts';
import { explainDecision, listBindings, listPolicies, listRoles } from '../../operation/policies.ts';
import { checkProviders } from '../../operation/provider-health.ts';
import { viewAs } from '../../operation/view-as.ts';
import { listSessions, revokeSession, revokeSessionsOfPerson } from '../../operation/sessions.ts';
import { listSignIns } from '../../operation/sign-ins.ts';
import { whoMayDo } from '../../operation/who.ts';
import { row } from '../row.ts';

const tag = 'Administration';

/** Who can do what, and who is signed in, for the admin role. */
export const adminRows = [
  row({ method: 'get', path: '/api/admin/roles', operation: listRoles, tag, summary: 'List every role', answers: { 200: { description: 'Each role with its policies.' } } }),
  row({ method: 'get', path: '/api/admin/policies', operation: listPolicies, tag, summary: 'List every compiled policy', answers: { 200: { description: 'Each policy with its normalized rules, from which decisions are made.' } } }),
  row({ method: 'get', path: '/api/admin/bindings', operation: listBindings, tag, summary: 'List every binding', answers: { 200: { description: 'Each binding with its groups or subjects, and the role or policies that they get.' } } }),
  row({
    method: 'get',
    path: '/api/admin/providers',
    operation: checkProviders,
    tag,
    summary: 'Check every storage provider',
    description: 'Each provider is asked a question that changes nothing. An answer is told again for five seconds, and a check takes five seconds at most.',
    answers: { 200: { description: 'Which providers answer, what is wrong with the others, and when they were asked.' } },
  }),
  row({
    method: 'get',
    path: '/api/admin/sessions',
    operation: listSessions,
    tag,
    summary: 'List active sessions',
    description: 'The latest first, in pages.',
    query: ['person', 'cursor', 'limit'],
    answers: { 200: { description: 'Who is signed in, since when and until when, from where, and when they last did something.' } },
  }),
  row({
    method: 'get',
    path: '/api/admin/sign-ins',
    operation: listSignIns,
    tag,
    summary: 'List the latest sign-ins',
    description: 'The latest 500 sign-ins and refusals of people whom the identity provider named, of all instances that share their sessions, in pages. Those that failed before it named anybody are kept apart: the latest 100, with `result=unknown`.',
    query: ['person', 'result', 'cursor', 'limit'],
    answers: { 200: { description: 'What the identity provider said, which claims and bindings counted, and why a sign-in was refused.' } },
  }),
  row({
    method: 'post',
    path: '/api/admin/sessions/revoke',
    operation: revokeSessionsOfPerson,
    tag,
    summary: 'Revoke every session of a person',
    description: 'The sessions end at once, with their open connections and transfer tickets. The person can sign in again, and their API keys stay.',
    body: ['issuer', 'subject'],
    answers: { 200: { description: 'How many sessions have ended.' } },
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
    description: 'Policy is asked, storage is not, and nothing changes. The person does not have to exist. Without `action` every action is explained.',
    body: ['issuer', 'subject', 'groups', 'action', 'provider', 'bucket', 'prefix', 'key'],
    answers: { 200: { description: 'The decision, and every rule that matches.' } },
  }),
  row({
    method: 'get',
    path: '/api/admin/audit',
    operation: listAudit,
    tag,
    summary: 'Ask the audit',
    description: 'The latest first, in pages, of all instances whose files lie here. Every filter that is given has to hold. Without `audit.path` in the configuration there is nothing to ask.',
    query: ['subject', 'issuer', 'resource', 'operation', 'outcome', 'from', 'to', 'cursor', 'limit'],
    answers: { 200: { description: 'What was asked of the service, by whom, on which resources, and how it ended.' } },
    problems: ['not_found'],
  }),
  row({
    method: 'get',
    path: '/api/admin/who',
    operation: whoMayDo,
    tag,
    summary: 'Name who may do something at a place',
    description: 'Every group and person about whom a rule says something there, with each rule and how they come to hold it, in the order of the configuration. Policy is asked, storage is not.',
    query: ['action', 'provider', 'bucket', 'prefix', 'key', 'cursor', 'limit'],
    answers: { 200: { description: 'Who may, whom a rule denies it, and what holds for everybody else who is signed in.' } },
  }),
  row({
    method: 'post',
    path: '/api/admin/view-as',
    operation: viewAs,
    tag,
    summary: 'Show what the UI would show to a person',
    description: 'Providers, and the buckets and places that configuration and policy name, with what the person may do there. Policy is asked, storage is not: no stored name is in the answer. The audit says who looked.',
    body: ['issuer', 'subject', 'groups'],
    answers: { 200: { description: 'What the person would see.' } },
  }),
];
