import { integer, optional, text, textOrNull } from './schema.ts';

/** Input members of a paged list, which has the latest entries first. */
export const inPages = {
  person: optional(
    text('A part of the name or of the subject of the person. Case does not matter.', { maxLength: 1_024 }),
  ),
  cursor: optional(text('Where an earlier answer to the same question stopped: its `nextCursor`.', { maxLength: 256 })),
  limit: optional(integer({ minimum: 1, maximum: 1_000, default: 1_000 })),
};
export const nextPage = {
  total: integer({ description: 'Total number on all pages.' }),
  nextCursor: textOrNull('The `cursor` of the next page; null at the end.'),
};

/** An input member that names a group exactly, for lists of sessions and sign-ins. */
export const ofGroup = (description: string) => optional(text(description, { maxLength: 1_024 }));

/** Input members that name one person exactly. */
export const onePerson = {
  issuer: text('Issuer of the person.', { maxLength: 2_048 }),
  subject: text('Subject of the person.', { minLength: 1, maxLength: 1_024 }),
};
