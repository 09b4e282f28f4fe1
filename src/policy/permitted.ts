declare const permitted: unique symbol;

/** A resource, or a scope, that policy was asked about and that it allowed something on. `access/authorize` makes them, and nothing else does. */
export type Permitted<R> = R & { readonly [permitted]: true };
