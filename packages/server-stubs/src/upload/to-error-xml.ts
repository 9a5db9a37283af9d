/** XML 1.0, section 2.2: what is none of its characters cannot be written at all. */
const NO_XML = /[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
};

/**
 * An XML document with the root `Error` and one element for each entry, in their order (D27).
 *
 * @example
 * toErrorXml({ Code: 'AccessDenied', Message: 'The grant has expired.' });
 */
export function toErrorXml(entries: Readonly<Record<string, string>>): string {
  const elements = Object.entries(entries).map(
    ([name, text]) => `<${name}>${escapeText(text)}</${name}>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?><Error>${elements.join('')}</Error>`;
}

function escapeText(text: string): string {
  return text.replace(NO_XML, '\uFFFD').replace(/[&<>"\r]/g, (char) => ENTITIES[char] as string);
}
