import { isEach, isSafeSegment } from '../model/each.ts';
import type { EachSelector } from '../model/resource.ts';
import type { WrittenPolicy } from '../model/rule.ts';

/** Placeholders for a subject and a group that nothing names. No claim has these characters. */
export const SOMEBODY = '\u{f0000}';
export const SOME_GROUP = '\u{f0001}';
/** A placeholder for any subject or group that nothing names and that cannot be the name of a folder. */
export const NO_FOLDER = '\u{f0002}/';

/** The claims that are examined beside those of bindings. A deny also concerns everybody whose claim has no folder. */
export function claimsToTell(each: EachSelector['each'], policies: readonly WrittenPolicy[]): Set<string> {
  const isDenied = policies.some(({ rules }) =>
    rules.some(
      ({ effect, resources }) =>
        effect === 'deny' && resources.some((selector) => isEach(selector) && selector.each === each),
    ),
  );
  const claims = claimsNamed(each, policies);
  return isDenied ? claims.add(NO_FOLDER) : claims;
}

/** The claims that paths name beneath prefixes with `each`. A path that ends inside a folder name gives that part, and a placeholder that begins with it. */
function claimsNamed(each: EachSelector['each'], policies: readonly WrittenPolicy[]): Set<string> {
  const selectors = policies.flatMap(({ rules }) => rules.flatMap(({ resources }) => resources));
  const own = selectors.filter(isEach).filter((selector) => selector.each === each);
  const claims = new Set<string>();
  const heads = new Map(
    own.map((selector) => [JSON.stringify([selector.provider, selector.bucket, selector.prefix]), selector]),
  );
  for (const { provider, bucket, prefix } of heads.values()) {
    for (const selector of selectors) {
      if (!('bucket' in selector) || selector.provider !== provider || selector.bucket !== bucket) continue;
      const path = selector.type === 'prefix' ? selector.prefix : selector.type === 'object' ? selector.key : '';
      if (path.length <= prefix.length || !path.startsWith(prefix)) continue;
      const end = path.indexOf('/', prefix.length);
      // An object beside the folders is in none of them.
      if (end < 0 && selector.type === 'object') continue;
      const claim = path.slice(prefix.length, end < 0 ? undefined : end);
      for (const one of end < 0 ? [claim, claim + SOMEBODY] : [claim]) if (isSafeSegment(one)) claims.add(one);
    }
  }
  return claims;
}
