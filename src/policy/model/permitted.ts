/** Private, so that a copy of a permitted place with another name in it is not permitted any more. */
declare class AllowedByPolicy {
  private readonly allowed: true;
}

/** A resource or scope on which policy has allowed an action. Only `src/access` makes such values; storage adds the provider to them. */
export type Permitted<R> = R & AllowedByPolicy;
