import { getSession } from '../../operation/sessions.ts';
import { principal } from '../../wire/session.ts';
import { row } from '../row.ts';

export const sessionRows = [
  row({
    method: 'get',
    path: '/v1/auth/session',
    operation: getSession,
    tag: 'Sign-in (v1)',
    summary: 'The current principal',
    answers: { 200: { description: 'Who is signed in, until when.', schema: principal } },
  }),
];
