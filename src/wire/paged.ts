import { integer, optional, text, textOrNull } from './schema.ts';

/** A list that comes in pages, the latest first. */
export const inPages = {
  person: optional(text('A part of the name or of the subject of the person, upper and lower case alike.', { maxLength: 1_024 })),
  cursor: optional(text('Where an earlier answer to the same question stopped: its `nextCursor`.', { maxLength: 256 })),
  limit: optional(integer({ minimum: 1, maximum: 1_000, default: 1_000 })),
};
export const nextPage = { total: integer({ description: 'How many there are on all pages.' }), nextCursor: textOrNull('The `cursor` to go on with; null at the end.') };

/** A person, to the letter. */
export const onePerson = { issuer: text('Issuer of the person.', { maxLength: 2_048 }), subject: text('Subject of the person.', { minLength: 1, maxLength: 1_024 }) };
