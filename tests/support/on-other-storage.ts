import { it } from '@jest/globals';

/** For what s3rver does not do: skipped, by name, unless `SVC_TEST_S3_ENDPOINT` names other storage. */
export const itOnOtherStorage = process.env['SVC_TEST_S3_ENDPOINT'] === undefined ? it.skip : it;
