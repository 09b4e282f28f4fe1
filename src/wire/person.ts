import { inPages, nextPage, onePerson } from './paged.ts';
import { boolean, integer, list, object, optional, string, text } from './schema.ts';

export const personOperations = {
  'person/suspend': {
    input: object({
      ...onePerson,
      name: optional(text('The name under which `person/listSuspended` lists the person.', { maxLength: 1_024 })),
    }),
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
          name: text('The name that the administrator gave, or the subject.'),
          since: text('When an administrator suspended the person, as RFC 3339.'),
        }),
      ),
      ...nextPage,
    }),
  },
};
