import type { Permitted } from '../policy/model/permitted.ts';
import type { StorageProvider } from './provider.ts';

/** A place that the service uses for itself, such as the probe object of `svc doctor`. No operation may import this, because policy is not asked. */
export function withoutPolicy<P extends { readonly provider: StorageProvider }>(place: P): Permitted<P> {
  return place as unknown as Permitted<P>;
}
