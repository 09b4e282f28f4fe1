import type { Failure } from '../../transfer/failure.ts';

/** Failures that last until an operator does something, such as make room on a disk. Storage that is busy is not worth a word. */
const WAITED_FOR = ['session_store_unavailable', 'state_unavailable'];
/** A service that cannot be reached is told of after so many tries, which take some seconds: a proxy may have lost one instance. */
const UNREACHABLE_TRIES = 3;

/** Tells once, however often it is called, that a command waits and tries again. */
export function waitTeller(say: (line: string) => void): (failure: Failure, path?: string) => void {
  let isTold = false;
  return ({ code, detail, attempt = 1 }, path) => {
    const isWaitedFor = WAITED_FOR.includes(code) || (code === 'unreachable' && attempt >= UNREACHABLE_TRIES);
    if (isTold || !isWaitedFor) return;
    isTold = true;
    say(`${path === undefined ? '' : `${path}: `}waits and tries again: ${detail}`);
  };
}
