import { takeAll } from '../../bounds/take-all.ts';
import { SvcError } from '../../errors/svc-error.ts';
import type { RawAnswer } from './exchange.ts';
import { S3Fault } from './fault.ts';
import { yieldToEventLoop } from '../yield-to-event-loop.ts';
import { XmlFault } from '../../xml/text.ts';
import type { Columns } from '../../xml/alike.ts';
import { XmlReader, type XmlAnswer } from '../../xml/xml.ts';

/** Other requests run after this many bytes, because to read them takes more than a few milliseconds. */
const TURN_BYTES = 524_288;

/**
 * Reads an answer in XML, whose body is in pieces, and takes them.
 *
 * @throws {S3Fault} for an error answer of storage.
 */
export async function readAnswer(
  provider: string,
  answer: RawAnswer,
  pieces: Buffer[],
  root: string | undefined,
  attempts: number,
  columns?: Columns,
): Promise<XmlAnswer> {
  const { status, headers } = answer;
  const isEmpty = pieces.every(({ length }) => length === 0);
  const xml = await xmlOf(takeAll(pieces), columns);
  const type = headers['content-type']?.split(';', 1)[0] ?? '';
  const foreign = (): SvcError =>
    unavailable(
      provider,
      `does not answer as S3 does (${status}${type === '' ? '' : `, ${type}`}); check \`endpoint\``,
    );
  // S3 names what is missing, except in the answer to a HEAD.
  if (status === 404 && root !== undefined && xml?.root !== 'Error') throw foreign();
  if (!isDone(answer))
    throw new S3Fault(status, headers, isEmpty ? undefined : xml?.root === 'Error' ? xml.fields : {}, attempts);
  // Storage may begin the answer to long work with the status 200 and end it with an error.
  if (xml?.root === 'Error') throw new S3Fault(503, headers, xml.fields, attempts);
  if (xml !== undefined && xml.root === root) return xml;
  if (type !== '' && !type.endsWith('xml')) throw foreign();
  throw unavailable(
    provider,
    `answered something else than ${root?.startsWith('List') ? 'a list' : `a \`${root}\``}; is its \`endpoint\` the address of S3?`,
  );
}

/** Whether S3 carried out the request. */
export function isDone({ status }: RawAnswer): boolean {
  return (status >= 200 && status < 300) || status === 304;
}

/** @returns undefined when it is no XML. */
async function xmlOf(pieces: readonly Buffer[], columns: Columns | undefined): Promise<XmlAnswer | undefined> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const reader = new XmlReader({ leaveOut: ['Owner', 'Initiator'], columns });
  let read = 0;
  try {
    for (const piece of pieces) {
      reader.push(decoder.decode(piece, { stream: true }));
      read += piece.length;
      if (read < TURN_BYTES) continue;
      await yieldToEventLoop();
      read = 0;
    }
    reader.push(decoder.decode());
    return reader.end();
  } catch (error) {
    if (error instanceof XmlFault) return undefined;
    throw error;
  }
}

/** The error for an answer that S3 does not give. */
export function unavailable(provider: string, what: string): SvcError {
  return new SvcError('storage_unavailable', { detail: `storage provider \`${provider}\` ${what}` });
}
