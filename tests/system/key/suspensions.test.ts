import { suspensionsContract } from '../../contract/suspensions.ts';
import { openOnPostgres } from '../../key/open-suspensions.ts';
import { describeOnPostgres } from '../../support/describe-postgres.ts';

describeOnPostgres((options) => {
  suspensionsContract('Suspensions on PostgreSQL', () => openOnPostgres(options()));
});
