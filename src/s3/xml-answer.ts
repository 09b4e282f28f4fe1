import { pathOf } from '../sigv4/sigv4.ts';
import { xmlText } from '../xml/text.ts';
import type { S3Request } from './request.ts';

/** A part of an answer in XML. */
export type Xml = string;

export const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';
const NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/';

/** An element of text; empty when there is no value. */
export function text(name: string, value: string | number | boolean | null | undefined): Xml {
  return value === undefined || value === null ? '' : `<${name}>${xmlText(String(value))}</${name}>`;
}

export function element(name: string, ...children: readonly Xml[]): Xml {
  let all = `<${name}>`;
  for (const child of children) all += child;
  return `${all}</${name}>`;
}

/** A whole answer. */
export function root(name: string, ...children: readonly Xml[]): Xml {
  return rootInParts(name, children).join('');
}

/** A whole answer that is long. */
export function rootInParts(name: string, children: readonly Xml[]): readonly Xml[] {
  return [`${DECLARATION}<${name} xmlns="${NAMESPACE}">`, ...children, `</${name}>`];
}

/** An element with a name of a listing: as it is, or encoded when the client asks for that; empty when there is none. */
export function nameIn({ query }: S3Request): (element: string, name: string | undefined) => Xml {
  const isEncoded = query.get('encoding-type') === 'url';
  return (element, name) => text(element, isEncoded && name !== undefined ? pathOf(name) : name);
}
