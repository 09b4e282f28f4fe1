declare const permitted: unique symbol;

/** A resource or scope on which policy has allowed an action. Only `access/authorize` makes such values. */
export type Permitted<R> = R & { readonly [permitted]: true };
