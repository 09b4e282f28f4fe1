import { xmlText } from '../xml/xml.ts';

/** A part of an answer in XML. */
export type Xml = string;

const NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/';

/** An element of text; empty when there is no value. */
export function text(name: string, value: string | number | boolean | null | undefined): Xml {
  return value === undefined || value === null ? '' : `<${name}>${xmlText(String(value))}</${name}>`;
}

export function element(name: string, ...children: readonly Xml[]): Xml {
  return `<${name}>${children.join('')}</${name}>`;
}

/** A whole answer. */
export function root(name: string, ...children: readonly Xml[]): Xml {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${name} xmlns="${NAMESPACE}">${children.join('')}</${name}>`;
}
