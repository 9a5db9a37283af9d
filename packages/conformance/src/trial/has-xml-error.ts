/**
 * Whether a text is an XML document whose root is an `Error` element, with or without a prolog and a
 * namespace prefix. What stands inside is for `UP-ERROR` to say.
 */
export function hasXmlError(text: string): boolean {
  const prolog = /^\uFEFF?\s*(?:<\?[^>]*\?>\s*|<!--[\s\S]*?-->\s*|<!DOCTYPE[^>]*>\s*)*/i;
  return /^<(?:[\w.-]+:)?Error[\s/>]/.test(text.replace(prolog, ''));
}
