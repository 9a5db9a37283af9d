import type { SentRequest } from '../http-messages.ts';
import { BLANK } from './secret-index.ts';

/** curl writes these itself. */
const OWN = ['content-length', 'transfer-encoding'];
/** Without a key of 16 bytes no server takes a handshake. */
const WEB_SOCKET_KEY = 'YmVydGgtY29uZm9ybWFuY2U=';

/**
 * A command line that repeats a request. Where a credential was blanked, `$NAME` stands for it.
 *
 * @example
 * toCurl({ method: 'GET', url: 'https://a.example/', headers: { Authorization: '[redacted]' }, body: '' });
 * // curl -i --path-as-is --globoff -X GET \
 * //   -H "Authorization: $AUTHORIZATION" 'https://a.example/'
 */
export function toCurl({
  method,
  url,
  headers,
  body,
  bodyEncoding,
  bodySize,
}: SentRequest): string {
  const given = Object.entries(headers).filter(([name]) => !OWN.includes(name.toLowerCase()));
  const names = new Set(given.map(([name]) => name.toLowerCase()));
  const isUpgrade = names.has('upgrade') && !names.has('sec-websocket-key');
  const extra: [string, string][] = isUpgrade
    ? [
        ['Sec-WebSocket-Version', '13'],
        ['Sec-WebSocket-Key', WEB_SOCKET_KEY],
      ]
    : [];
  const isBase64 = bodyEncoding === 'base64';
  const sendsType = body !== '' && !names.has('content-type');
  const parts = [
    `curl -i --path-as-is --globoff ${method === 'HEAD' ? '--head' : `-X ${quote(method)}`}`,
    ...[...given, ...extra].map(([name, value]) => `-H ${quote(toHeader(name, value), name)}`),
    ...(sendsType ? ["-H 'Content-Type:'"] : []),
    ...(body === '' ? [] : [isBase64 ? '--data-binary @-' : `--data-raw ${quote(body, 'BODY')}`]),
    quote(url, 'URL_PART'),
  ];
  const command = parts.join(' \\\n  ');
  const whole = isBase64 ? `printf %s ${quote(body)} | base64 -d | ${command}` : command;
  return bodySize === undefined
    ? whole
    : `# the body had ${bodySize} bytes; this is its beginning\n${whole}`;
}

/** curl leaves out a header that has no value, unless it is written so. */
function toHeader(name: string, value: string): string {
  return value === '' ? `${name};` : `${name}: ${value}`;
}

/** A word of the shell; blanks become variables that are named after where they stand. */
function quote(text: string, name = 'REDACTED'): string {
  if (/^[\w./:=-]+$/.test(text)) return text;
  if (!text.includes(BLANK)) return `'${text.replaceAll("'", `'\\''`)}'`;
  const variable = `$${name.toUpperCase().replaceAll(/\W/g, '_')}`;
  const parts = text.split(BLANK).map((part) => part.replaceAll(/["\\$`]/g, '\\$&'));
  return `"${parts.join(variable)}"`;
}
