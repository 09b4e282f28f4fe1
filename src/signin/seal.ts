/** A key that this process alone knows: unfinished logins are lost when it stops. */
export function randomSealingKey(): Buffer {
  throw new Error('not built yet');
}

/** The key that every instance with the same session secret has, so that any of them can finish a login. */
export function sealingKeyFromSecret(_secret: string): Buffer {
  throw new Error('not built yet');
}
