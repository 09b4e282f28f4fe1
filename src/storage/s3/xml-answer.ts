import { Collected } from '../../bounds/collected.ts';
import { SvcError } from '../../errors/svc-error.ts';
import type { RawAnswer } from './exchange.ts';
import { S3Fault } from './fault.ts';
import { XmlFault } from '../../xml/text.ts';
import type { Columns } from '../../xml/alike.ts';
import { XmlReader, type XmlAnswer } from '../../xml/xml.ts';

/** About so many bytes are read at once. Shorter pieces take more time, and V8 frees a text of more than 128 KiB only in a whole collection. */
const READ_BYTES = 49_152;

/** Reads the body of an answer in XML while it comes. */
export class AnswerReader {
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #xml: XmlReader;
  /** Whether nothing has come yet. */
  isEmpty = true;
  #held = new Collected();
  #isXml = true;

  constructor(columns?: Columns) {
    this.#xml = new XmlReader({ leaveOut: ['Owner', 'Initiator'], columns });
  }

  static of(body: Buffer): AnswerReader {
    const reader = new AnswerReader();
    reader.add(body);
    return reader;
  }

  add(piece: Buffer): void {
    if (piece.length > 0) this.isEmpty = false;
    this.#held.add(piece);
    // What is cut off is read again with each piece.
    if (this.#held.bytes >= READ_BYTES) this.#push(this.#decoder.decode(this.#take(), { stream: true }));
  }

  /** @returns undefined when it is no XML. */
  end(): XmlAnswer | undefined {
    this.#push(this.#decoder.decode(this.#take()));
    return this.#try(() => this.#xml.end());
  }

  #take(): Buffer {
    const bytes = this.#held.join();
    this.#held = new Collected();
    return bytes;
  }

  #push(text: string): void {
    this.#try(() => this.#xml.push(text));
  }

  #try<T>(read: () => T): T | undefined {
    try {
      return this.#isXml ? read() : undefined;
    } catch (error) {
      if (!(error instanceof XmlFault)) throw error;
      this.#isXml = false;
      return undefined;
    }
  }
}

/**
 * What an answer in XML says.
 *
 * @throws {S3Fault} for an error answer of storage.
 */
export function xmlOf(
  provider: string,
  answer: RawAnswer,
  reader: AnswerReader,
  root: string | undefined,
  mayBeDone: boolean,
): XmlAnswer {
  const { status, headers } = answer;
  const xml = reader.end();
  const type = headers['content-type']?.split(';', 1)[0] ?? '';
  const foreign = (): SvcError =>
    unavailable(
      provider,
      `does not answer as S3 does (${status}${type === '' ? '' : `, ${type}`}); check \`endpoint\``,
    );
  // S3 names what is missing, except in the answer to a HEAD.
  if (status === 404 && root !== undefined && xml?.root !== 'Error') throw foreign();
  if (!isDone(answer))
    throw new S3Fault(status, headers, reader.isEmpty ? undefined : xml?.root === 'Error' ? xml.fields : {}, mayBeDone);
  // Storage may begin the answer to long work with the status 200 and end it with an error.
  if (xml?.root === 'Error') throw new S3Fault(503, headers, xml.fields, mayBeDone);
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

/** The error for an answer that S3 does not give. */
export function unavailable(provider: string, what: string): SvcError {
  return new SvcError('storage_unavailable', { detail: `storage provider \`${provider}\` ${what}` });
}
