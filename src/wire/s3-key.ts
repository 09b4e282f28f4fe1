import { apiKeyScope, keyRecord, pagesOfKeys, purpose } from './api-key.ts';
import { nextPage, onePerson } from './paged.ts';
import { integer, list, nothing, object, optional, providerName, text, textOrNull, type Wire } from './schema.ts';

export const s3Key = object({
  accessKeyId: text('The access key ID. It is not secret.', { examples: ['SVCABCDEFGHIJ234567X'] }),
  provider: text('The one provider of the key.'),
  ...keyRecord,
});
export type S3KeyWire = Wire<typeof s3Key>;

const accessKeyId = text('The access key ID.', { minLength: 1, maxLength: 64 });
const issued = object({
  key: s3Key,
  secretAccessKey: text('The secret access key. It is returned here and never again.'),
});

export const s3KeyOperations = {
  's3Key/create': {
    input: object({
      provider: providerName,
      description: purpose,
      scope: optional(apiKeyScope),
      expiresAt: optional(
        textOrNull(
          'When the key expires, as RFC 3339, at most `s3.max_lifetime_days` ahead. A key without it, or with null, lasts as long as possible.',
          { maxLength: 64 },
        ),
      ),
    }),
    output: issued,
  },
  's3Key/list': { input: nothing, output: object({ keys: list(s3Key) }) },
  's3Key/listAll': { input: object(pagesOfKeys), output: object({ keys: list(s3Key), ...nextPage }) },
  's3Key/revokeAll': {
    input: object(onePerson),
    output: object({ revoked: integer({ description: 'Number of revoked keys.' }) }),
  },
  's3Key/rotate': { input: object({ accessKeyId }), output: issued },
  's3Key/replaceScope': { input: object({ accessKeyId, scope: apiKeyScope }), output: object({ key: s3Key }) },
  's3Key/revoke': { input: object({ accessKeyId }), output: nothing },
};
