import { SvcError } from '../../errors/svc-error.ts';
import type { RawAnswer } from './exchange.ts';
import { S3Fault } from './fault.ts';
import { readXml, XmlFault, type XmlAnswer } from '../../xml/xml.ts';

/**
 * Reads an answer in XML.
 *
 * @throws {S3Fault} for an error answer of storage.
 */
export function readAnswer(
  provider: string,
  answer: RawAnswer,
  text: string,
  root: string | undefined,
  attempts: number,
): XmlAnswer {
  const { status, headers } = answer;
  const xml = xmlOf(text);
  const type = headers['content-type']?.split(';', 1)[0] ?? '';
  const foreign = (): SvcError =>
    unavailable(
      provider,
      `does not answer as S3 does (${status}${type === '' ? '' : `, ${type}`}); check \`endpoint\``,
    );
  // S3 names what is missing, except in the answer to a HEAD.
  if (status === 404 && root !== undefined && xml?.root !== 'Error') throw foreign();
  if (!isDone(answer))
    throw new S3Fault(status, headers, text === '' ? undefined : xml?.root === 'Error' ? xml.fields : {}, attempts);
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

function xmlOf(text: string): XmlAnswer | undefined {
  try {
    return readXml(text);
  } catch (error) {
    if (error instanceof XmlFault) return undefined;
    throw error;
  }
}

/** The error for an answer that S3 does not give. */
export function unavailable(provider: string, what: string): SvcError {
  return new SvcError('storage_unavailable', { detail: `storage provider \`${provider}\` ${what}` });
}
