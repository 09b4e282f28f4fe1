/** Which names a request may use. Checked before policy is asked, so that policy and storage never see anything else. */

const BUCKET_NAME = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const IPV4_ADDRESS = /^\d+\.\d+\.\d+\.\d+$/;
const PROVIDER_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

export const MAX_KEY_BYTES = 1024;

/** A valid S3 bucket name. `..` is refused above all: in a path it would address another bucket. */
export function isBucketName(name: string): boolean {
  return BUCKET_NAME.test(name) && !name.includes('..') && !IPV4_ADDRESS.test(name);
}

/** A provider's name in the configuration. */
export function isProviderName(name: string): boolean {
  return PROVIDER_NAME.test(name);
}

/** An object's key: not empty, at most {@link MAX_KEY_BYTES} bytes of UTF-8, and no lone surrogate, which UTF-8 cannot carry. */
export function isObjectKey(key: string): boolean {
  return key !== '' && isKeyPrefix(key);
}

/** What a key may start with; unlike a key it may be empty. */
export function isKeyPrefix(prefix: string): boolean {
  return prefix.length <= MAX_KEY_BYTES && prefix.isWellFormed() && utf8Length(prefix) <= MAX_KEY_BYTES;
}

/** @param text - well formed. */
function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    const isSurrogate = unit >= 0xd800 && unit <= 0xdfff;
    bytes += unit < 0x800 || isSurrogate ? 1 : 2;
  }
  return bytes;
}
