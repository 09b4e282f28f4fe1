import { it } from '@jest/globals';

const isNamed = process.env['SVC_TEST_S3_ENDPOINT'] !== undefined;

/** For what s3rver does not do: skipped, by name, unless `SVC_TEST_S3_ENDPOINT` names other storage. */
export const itOnOtherStorage = isNamed ? it : it.skip;

/** For what s3rver alone can be made to do: skipped, by name, when `SVC_TEST_S3_ENDPOINT` names other storage. */
export const itOnS3rver = isNamed ? it.skip : it;
