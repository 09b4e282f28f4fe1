import { inPages, nextPage, onePerson } from './paged.ts';
import { boolean, integer, list, object, string, text } from './schema.ts';

export const personOperations = {
  'person/suspend': {
    input: object(onePerson),
    output: object({ endedSessions: integer({ description: 'Number of ended sessions.' }) }),
  },
  'person/resume': {
    input: object(onePerson),
    output: object({ resumed: boolean({ description: 'False when the person was not suspended.' }) }),
  },
  'person/listSuspended': {
    input: object(inPages),
    output: object({
      people: list(
        object({
          issuer: string,
          subject: string,
          since: text('When an administrator suspended the person, as RFC 3339.'),
        }),
      ),
      ...nextPage,
    }),
  },
};
