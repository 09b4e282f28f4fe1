import type { Trail } from '../audit/trail.ts';

/** For operations of administrators on one person. */
export const onPerson = {
  access: { kind: 'admin' },
  about: ({ issuer, subject }: { readonly issuer: string; readonly subject: string }, trail: Trail) =>
    trail.about({ person: subject }, { issuer, subject, name: subject }),
} as const;
