import { hasXmlError } from '../../trial/has-xml-error.ts';

/** Whether a text is an XML document that has an `Error` element, which is closed. */
export function hasErrorElement(text: string): boolean {
  if (!hasXmlError(text)) return false;
  const found = /<((?:[\w.-]+:)?Error)[\s/>]/.exec(text);
  const end = found ? text.indexOf('>', found.index) : -1;
  if (found === null || end < 0) return false;
  return text[end - 1] === '/' || text.includes(`</${found[1]}`);
}
