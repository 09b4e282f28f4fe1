import { getSession } from '../../operation/sessions.ts';
import { principal } from '../../wire/session.ts';
import { row } from '../routing/row.ts';

export const sessionRows = [
  row({
    method: 'get',
    path: '/v1/auth/session',
    operation: getSession,
    tag: 'Sign-in (v1)',
    summary: 'Read the current principal',
    answers: { 200: { description: 'The person who is signed in, and when the session expires.', schema: principal } },
  }),
];
