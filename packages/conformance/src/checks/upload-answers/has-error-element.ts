import { hasXmlError } from '../../trial/has-xml-error.ts';

/** Whether a text is an XML document that has an `Error` element, which is closed. */
export function hasErrorElement(text: string): boolean {
  if (!hasXmlError(text)) return false;
  const [, name, isEmpty] = /<((?:[\w.-]+:)?Error)(?=[\s/>])[^>]*?(\/)?>/.exec(text) ?? [];
  return isEmpty !== undefined || (name !== undefined && text.includes(`</${name}`));
}
