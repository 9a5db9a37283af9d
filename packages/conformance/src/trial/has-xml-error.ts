/**
 * Whether a text is meant as an XML document with an `Error` element, at its root or deeper, with or
 * without a namespace prefix. Whether the document is sound is for `UP-ERROR` to say.
 */
export function hasXmlError(text: string): boolean {
  const isXml = /^\uFEFF?\s*</.test(text) && !/<html[\s>]/i.test(text);
  return isXml && /<(?:[\w.-]+:)?Error[\s/>]/.test(text);
}
