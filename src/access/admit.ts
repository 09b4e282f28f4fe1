import type { Trail } from '../audit/trail.ts';
import { SvcError } from '../errors/svc-error.ts';
import { ANONYMOUS, isKey, type Caller } from './caller.ts';
import { whoOf } from './who.ts';

/** Who may perform an operation. `policy` admits every known caller; policy is asked later. */
export type Admission = 'open' | 'session' | 'interactive' | 'admin' | 'policy';

/**
 * Admits a caller or refuses them, and records them in the audit.
 *
 * @param caller - undefined when the request has no valid credential.
 * @throws {SvcError} `session_required`, `interactive_session_required`, `admin_required`.
 */
export function admit(admission: Admission, caller: Caller | undefined, trail: Trail): Caller {
  if (admission === 'open') return ANONYMOUS;
  if (caller === undefined) throw new SvcError('session_required', { detail: 'sign in, then try again' });
  trail.by(whoOf(caller));
  if (admission === 'interactive' && isKey(caller))
    throw new SvcError('interactive_session_required', { detail: 'a key cannot do this' });
  if (admission === 'admin' && !caller.isAdmin)
    throw new SvcError('admin_required', {
      detail: 'this needs the role `admin`; ask an administrator to bind you to it',
    });
  return caller;
}
