/** Removes credentials from what is logged. */
import { decodeText, SIGNATURE } from '@berth/server-stubs/contract';
import type { WireProfile } from '@berth/spec/wire-profile';

type Header = readonly [name: string, value: string];

const REDACTED = '***';

/** Common names of API keys, as headers and as parameters, in the form of `toSimpleName`. */
const API_KEYS = ['apikey', 'xapikey'];

/** Names of credentials are spelled in many ways: `apiKey`, `api_key`, `API-Key`. */
function toSimpleName(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, '');
}

/** Headers whose value is a credential, possibly after a scheme. The wire profile names others. */
const SECRET_HEADERS = ['authorization', 'proxyauthorization', 'cookie', ...API_KEYS];

/** Schemes that are not redacted. Any other text may be a credential. */
const SCHEME = new RegExp(`^(?:Bearer|Basic|(?:1\\.0 )?${SIGNATURE.algorithm})(?= )`, 'i');

/** A token that a browser sends as a subprotocol of a WebSocket. */
const BEARER_PROTOCOL = /(berth\.bearer\.)[^,\s]+/g;

export function redactHeaders(
  headers: readonly Header[],
  { storageHeaders: { authorization, sessionToken } }: WireProfile,
): readonly Header[] {
  const secrets = [...SECRET_HEADERS, toSimpleName(authorization), toSimpleName(sessionToken)];
  return headers.map(([name, value]) => [name, redactHeader(name.toLowerCase(), value, secrets)]);
}

function redactHeader(name: string, value: string, secrets: readonly string[]): string {
  if (name === 'sec-websocket-protocol') return value.replace(BEARER_PROTOCOL, `$1${REDACTED}`);
  if (name === 'referer') return redactTarget(value);
  if (!secrets.includes(toSimpleName(name)) || value === '') return value;
  const scheme = SCHEME.exec(value)?.[0];
  return scheme === undefined ? REDACTED : `${scheme} ${REDACTED}`;
}

/** Parameters that are credentials: the signature of a link, and an access token (RFC 6750, section 2.3). */
const SECRET_PARAMETERS = ['sign', 'accesstoken', ...API_KEYS];

export function redactTarget(target: string): string {
  return redactFields(target, /([?&]([^=&?\s]+)=)([^&\s]+)/g);
}

/** Redacts form bodies and JSON, even if malformed. Callers may send them without a type. */
export function redactBody(body: string): string {
  if (/^\s*[{[]/.test(body)) return redactFields(body, JSON_FIELD, `"${REDACTED}"`);
  if (body.startsWith('--')) return body.replace(MULTIPART_FIELD, redactPart);
  return redactTarget(`?${body}`).slice(1);
}

/** Matches every string, so that text between two strings is never read as one. */
const JSON_FIELD = /("((?:[^"\\]|\\.)*)"?(?:\s*:\s*)?)("(?:[^"\\]|\\.)+"?|[^\s"{}[\],]+)?/g;

/** Sticky: on text without fields, it stops at once. */
const MULTIPART_FIELD = /(.*?\r\n\r\n).*?(?=\r\n--|$)/gsy;

function redactPart(part: string, head: string): string {
  const [, name = ''] = /\bname="?([^";\r\n]+)/.exec(head) ?? [];
  return isSecret(name) ? head + REDACTED : part;
}

/** @param field its groups are what precedes the value, the name in it, and the value */
function redactFields(text: string, field: RegExp, redacted = REDACTED): string {
  return text.replace(field, (match, start, name, value) =>
    value !== undefined && isSecret(name) ? start + redacted : match,
  );
}

function isSecret(name: string): boolean {
  return SECRET_PARAMETERS.includes(toSimpleName(decodeText(name) ?? name));
}
