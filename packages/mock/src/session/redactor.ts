import type { WireProfile } from '@berth/spec/wire-profile';
import type { LoggedRequest } from './request-log.ts';

const REDACTED = '…';

type Surface = LoggedRequest['surface'];

export type Redactor = ReturnType<typeof createRedactor>;

/** Headers whose value is a credential, possibly preceded by a scheme. */
const SECRET_HEADERS = ['authorization', 'proxy-authorization', 'cookie', 'set-cookie'];

/** Start of the boundary after each part of a form. */
const BOUNDARY = '\r\n--';

const PROTOCOLS = 'sec-websocket-protocol';

const LINK_SIGNATURE = /([?&]sign=)[^&\s"<]+/g;

const BEARER_PROTOCOL = /(berth\.bearer\.)[^,\s]+/g;

const SCHEME = /^(?:1\.0 )?[\w-]+(?= )/;

/** Fields of a `getUploadMetaData` response, even if the text is truncated. */
const GRANT_MEMBER = /("(?:authorization|token)"\s*:\s*")(?:[^"\\]|\\.)*/g;

/** Creates functions that remove credentials from the parts of a call that the log keeps. */
export function createRedactor({ storageHeaders, uploadFields }: WireProfile) {
  const secrets = new Set([
    ...SECRET_HEADERS,
    storageHeaders.authorization.toLowerCase(),
    storageHeaders.sessionToken.toLowerCase(),
  ]);
  const fields = ['Signature', uploadFields.securityToken].map(toPattern).join('|');
  const field = new RegExp(`\\bname="?(?:${fields})"?`, 'i');
  /** RFC 7578: a part's header, an empty line, its value, and the next boundary. */
  const redactPart = (part: string) => {
    const end = part.indexOf('\r\n\r\n');
    const isSecret = end >= 0 && field.test(part.slice(0, end));
    return isSecret ? part.slice(0, end + 4) + toLatin1(REDACTED) : part;
  };
  return {
    /** @param name in lower case */
    header(name: string, value: string): string {
      if (name === PROTOCOLS) return value.replace(BEARER_PROTOCOL, `$1${REDACTED}`);
      if (name === 'location') return toTarget(value);
      if (!secrets.has(name) || value === '') return value;
      const scheme = SCHEME.exec(value)?.[0];
      return scheme === undefined ? REDACTED : `${scheme} ${REDACTED}`;
    },
    /** Redacts path and query: a link's signature grants access to the file. */
    target: toTarget,
    /** Redacts the tokens in an upload form. */
    request: (surface: Surface, body: Uint8Array) =>
      surface === 'upload'
        ? replace(body, (text) => text.split(BOUNDARY).map(redactPart).join(BOUNDARY))
        : body,
    /** Redacts upload grants and the signatures of links. */
    response: (surface: Surface, body: Uint8Array) =>
      surface === 'storage'
        ? replace(body, (text) =>
            text
              .replace(GRANT_MEMBER, `$1${toLatin1(REDACTED)}`)
              .replace(LINK_SIGNATURE, `$1${toLatin1(REDACTED)}`),
          )
        : body,
  };
}

/**
 * Returns headers by name.
 *
 * @param raw alternating names and values
 */
export function toHeaders(
  raw: readonly string[],
  redact: Redactor['header'],
): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = Object.create(null);
  for (let at = 0; at < raw.length; at += 2) {
    const name = (raw[at] as string).toLowerCase();
    const value = redact(name, raw[at + 1] as string);
    const known = headers[name];
    headers[name] = known === undefined ? value : [known, value].flat();
  }
  return headers;
}

function toTarget(target: string): string {
  return target.replace(LINK_SIGNATURE, `$1${REDACTED}`);
}

/** Decodes bytes to one character per byte, so that all other bytes stay unchanged. */
function replace(body: Uint8Array, change: (text: string) => string): Uint8Array {
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1');
  const changed = change(text);
  return changed === text ? body : Buffer.from(changed, 'latin1');
}

/** Each byte of the UTF-8 text is one character. */
function toLatin1(text: string): string {
  return Buffer.from(text).toString('latin1');
}

function toPattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
