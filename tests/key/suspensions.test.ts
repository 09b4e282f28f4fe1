import { suspensionsContract } from '../contract/suspensions.ts';
import { openOnSqlite } from './open-suspensions.ts';

suspensionsContract('Suspensions on SQLite', openOnSqlite);
