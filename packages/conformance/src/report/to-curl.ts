import { BLANK } from '../credentials/redact.ts';
import type { SentRequest } from '../http/exchange.ts';
import type { Finding } from '../result.ts';

/** Control and bidi characters, which a terminal would interpret or display in another order. */
export const UNPRINTABLE = /[\p{Cc}\u2028-\u202e\u2066-\u2069]+/gu;
/** Headers that curl sends by itself. */
const OWN = 'content-length';
/** No server accepts a handshake without a 16-byte key. */
const WEB_SOCKET_KEY = 'YmVydGgtY29uZm9ybWFuY2U=';

/**
 * Returns a `curl` command that repeats a request. A redacted credential becomes `$NAME`.
 *
 * @param times how often to send it, on one connection
 * @example
 * toCurl({ method: 'GET', url: 'https://a.example/', headers: { Authorization: '[redacted]' }, body: '' });
 * // curl -i --path-as-is --globoff -X GET \
 * //   -H "Authorization: $AUTHORIZATION" 'https://a.example/'
 */
export function toCurl(
  { method, url, headers, body, bodyEncoding, bodySize }: SentRequest,
  times = 1,
): string {
  const given = Object.entries(headers).filter(([name]) => name.toLowerCase() !== OWN);
  const names = new Set(given.map(([name]) => name.toLowerCase()));
  const isUpgrade = names.has('upgrade') && !names.has('sec-websocket-key');
  const extra: [string, string][] = isUpgrade
    ? [
        ['Sec-WebSocket-Version', '13'],
        ['Sec-WebSocket-Key', WEB_SOCKET_KEY],
      ]
    : [];
  const pipe = toPipe(body, bodyEncoding);
  const hasLength = given.length < Object.keys(headers).length;
  const sendsBody = body !== '' || hasLength;
  const sendsType = sendsBody && !names.has('content-type');
  const isOfHttp1 = names.has('upgrade') || names.has('transfer-encoding');
  const parts = [
    `curl -i${isOfHttp1 ? ' --http1.1' : ''} --path-as-is --globoff ${method === 'HEAD' ? '--head' : `-X ${quote(method)}`}`,
    ...[...given, ...extra].map(([name, value]) => `-H ${quote(toHeader(name, value), name)}`),
    ...(sendsType ? ["-H 'Content-Type:'"] : []),
    ...(sendsBody ? [pipe ? '--data-binary @-' : `--data-raw ${quote(body, 'BODY')}`] : []),
    ...Array<string>(times).fill(quote(url, 'URL_PART')),
  ];
  const command = parts.join(' \\\n  ');
  const whole = pipe ? `${pipe} | ${command}` : command;
  return bodySize === undefined
    ? whole
    : `# the body has ${bodySize} bytes; only the beginning is shown\n${whole}`;
}

/** Returns the `curl` command that repeats a finding. */
export function toRepeat({ request, onOneConnection }: Finding): string {
  return request ? toCurl(request, onOneConnection ? 2 : 1) : '';
}

/** Returns the command that prints a body that would not survive copy and paste, including line breaks. */
function toPipe(body: string, encoding: SentRequest['bodyEncoding']): string | undefined {
  if (encoding === 'base64') return `printf %s ${quote(body)} | base64 -d`;
  if (body.search(UNPRINTABLE) < 0) return undefined;
  return `printf %b ${quote(body.replaceAll('\\', '\\\\').replaceAll(UNPRINTABLE, toEscapes), 'BODY')}`;
}

const ESCAPES: Record<number, string> = { 9: '\\t', 10: '\\n', 13: '\\r' };

function toEscapes(text: string): string {
  return [...Buffer.from(text)]
    .map((byte) => ESCAPES[byte] ?? `\\0${byte.toString(8).padStart(3, '0')}`)
    .join('');
}

/** curl omits a header without a value unless it is written this way. */
function toHeader(name: string, value: string): string {
  return value === '' ? `${name};` : `${name}: ${value}`;
}

/** Quotes a word for the shell. Each redacted value becomes a shell variable called `name`. */
export function quote(text: string, name = 'REDACTED'): string {
  if (/^[\w./:=-]+$/.test(text)) return text;
  if (!text.includes(BLANK)) return `'${text.replaceAll("'", `'\\''`)}'`;
  const variable = `$${name.toUpperCase().replaceAll(/\W/g, '_')}`;
  const parts = text.split(BLANK).map((part) => part.replaceAll(/["\\$`]/g, '\\$&'));
  return `"${parts.join(variable)}"`;
}
