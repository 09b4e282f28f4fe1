import { S3_KEYS, S3Keys } from '../../../src/s3key/s3-keys.ts';
import { openOnPostgres } from '../../apikey/open-keys.ts';
import { LIMITS, s3KeysContract } from '../../contract/s3-keys.ts';
import { describeOnPostgres } from '../../support/describe-postgres.ts';

describeOnPostgres((options) => {
  s3KeysContract('S3Keys on PostgreSQL', () =>
    openOnPostgres(options(), { kind: S3_KEYS, on: (given) => new S3Keys({ ...LIMITS, ...given }) }),
  );
});
