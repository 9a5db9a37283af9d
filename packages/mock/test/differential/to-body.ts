import { XMLParser } from 'fast-xml-parser';

const xml = new XMLParser({ ignoreDeclaration: true });

/** The value of a body, by its content type. */
export function toBody(type: string | undefined, text: string): unknown {
  if (text === '') return undefined;
  if (type === 'application/json') return JSON.parse(text);
  return type === 'application/xml' ? xml.parse(text) : text;
}

/** A media type without its parameters. */
export function toType(header: string | string[] | undefined): string | undefined {
  return header === undefined ? undefined : String(header).split(';', 1)[0];
}

/** Each once, and sorted. */
export function toSet(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort();
}
