import type { Targets } from '../access/target.ts';
import type { Storage } from '../storage/storage.ts';

/** What rows about keys are made with: `targets` makes the resources that policy is asked about, and `storage` gets. */
export type KeyedParts = { readonly storage: Storage; readonly targets: Targets };
