import { stringify } from 'node:querystring';

/** How a server may write what it was sent, by name; implemented without the suite's code. */
export const spellings: Record<string, (text: string) => string> = {
  plain: (text) => text,
  'in lower case': (text) => text.toLowerCase(),
  'in upper case': (text) => text.toUpperCase(),
  'in JSON': (text) => JSON.stringify({ text }).slice(9, -2),
  'in JSON for a page': (text) =>
    JSON.stringify({ text })
      .slice(9, -2)
      .replaceAll('<', '\\u003c')
      .replaceAll('>', '\\u003e')
      .replaceAll('&', '\\u0026')
      .replaceAll('\\"', '\\u0022')
      .replaceAll('/', '\\u002f')
      .replaceAll('=', '\\u003d')
      .replaceAll('+', '\\u002b'),
  'in a URL': (text) => encodeURIComponent(text),
  'in a URL in lower case': (text) =>
    encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase()),
  'in a form': (text) => stringify({ text }).slice(5).replaceAll('%20', '+'),
  'in HTML': (text) =>
    text
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;'),
  'in base64': (text) => Buffer.from(text).toString('base64'),
  'in base64 after one byte': (text) => Buffer.from(`:${text}`).toString('base64').slice(4),
  'in base64 after two bytes': (text) => Buffer.from(`::${text}`).toString('base64').slice(4),
  'in base64url': (text) => Buffer.from(text).toString('base64url'),
  'in hex': (text) => Buffer.from(text).toString('hex'),
};
