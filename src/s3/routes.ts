import type { S3Route } from './route.ts';
import { bucketRoutes } from './routes/buckets.ts';
import { multipartRoutes } from './routes/multipart.ts';
import { objectRoutes } from './routes/objects.ts';

/** Every call of S3 that the service knows. All others are refused as not implemented. */
export const routes: readonly S3Route[] = [...bucketRoutes, ...objectRoutes, ...multipartRoutes];
