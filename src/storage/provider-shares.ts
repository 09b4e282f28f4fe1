import { Shares } from '../bounds/shares.ts';
import { BODY_SOCKETS } from './s3/connections.ts';

/** How people share the connections to one provider. */
export type ProviderShares = {
  /** Connections that carry the bytes of objects. A slow client holds its connection. */
  readonly transfers: Shares;
  /** Searches and counts under way. */
  readonly scans: Shares;
  /** Connections for the pages of searches, and for changes that may take storage many minutes. */
  readonly questions: Shares;
  /** Short questions and changes under way, such as listings. */
  readonly shortQuestions: Shares;
};

/** More than a browser or `svc cp` uses at once. */
const TRANSFERS_OF_A_PERSON = 64;
/** Left for bodies that no client can hold up: small objects of archives, parts that are complete. */
const OTHER_BODY_SOCKETS = 64;
/** Each scan holds about a mebibyte when its reader is slow. */
const SWEEPS_OF_A_PERSON = 16;
const QUESTIONS_OF_A_PERSON = 16;
const QUESTIONS_OF_ALL = 48;
/** More than the searches of a person ask at once: each reads 8 pages, or asks for the tags of 16 objects beside that. */
const QUESTIONS_WAITING = 512;
/** More than a page of the web UI or `svc cp` asks at once. */
const SHORT_QUESTIONS_OF_A_PERSON = 32;
const SHORT_QUESTIONS_OF_ALL = 64;
const WAIT_MS = 10_000;

export function newShares(): ProviderShares {
  return {
    transfers: new Shares({
      all: BODY_SOCKETS - OTHER_BODY_SOCKETS,
      each: TRANSFERS_OF_A_PERSON,
      waitMs: WAIT_MS,
      tooMuch: `you have ${TRANSFERS_OF_A_PERSON} transfers under way; wait until one of them ends`,
    }),
    scans: new Shares({
      all: Infinity,
      each: SWEEPS_OF_A_PERSON,
      waiting: 0,
      tooMuch: `you have ${SWEEPS_OF_A_PERSON} searches and counts under way; wait until one of them ends`,
    }),
    questions: new Shares({
      all: QUESTIONS_OF_ALL,
      each: QUESTIONS_OF_A_PERSON,
      waiting: QUESTIONS_WAITING,
      tooMuch: 'too many of your changes wait; wait until some of them end',
    }),
    shortQuestions: new Shares({
      all: SHORT_QUESTIONS_OF_ALL,
      each: SHORT_QUESTIONS_OF_A_PERSON,
      waitMs: WAIT_MS,
      tooMuch: 'too many of your requests wait for storage; wait until some of them end',
    }),
  };
}
