import { isUtf8 } from 'node:buffer';
import { contract as CONTRACT, type Violation } from '@berth/server-stubs';
import type { SurfaceName } from '../../contract/surface.ts';
import type { WireProfile } from '../../contract/wire-profile.ts';
import type { ResolvedOptions } from '../../options.ts';
import type { JsonBody } from '../../session/logged-json.ts';
import {
  createRedactor,
  REDACTED,
  SECRET_HEADERS,
  toHeaders,
  toLatin1,
} from '../../session/redactor.ts';
import { parseJson } from '../../util/values.ts';
import { listHeader, type RawHeaders } from '../headers.ts';

/** One message in a recording, with lower-case header names and without secrets. */
export interface RecordedMessage {
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Text if it is UTF-8. Absent if there is no body. */
  readonly body?: JsonBody;
}

/** Version of the file format. Recordings with any other version are rejected. */
export const FORMAT = 'berth-exchange-1';

export interface Recording {
  readonly format: typeof FORMAT;
  /** Hash of the mock's contract; absent for custom documents and in older recordings. */
  readonly contract?: string;
  readonly surface: SurfaceName;
  readonly operationId?: string;
  /** Time of the request (ISO 8601). */
  readonly at: string;
  /** Milliseconds until the response head, and until the end of the response. */
  readonly ms: { readonly head: number; readonly total: number };
  /** Base URL of the mock that recorded it; a replay replaces it with its own. */
  readonly origin: string;
  readonly request: RecordedMessage & { readonly method: string; readonly target: string };
  readonly response: RecordedMessage & { readonly status: number };
  /** Contract violations in the request and the response. */
  readonly violations: readonly Violation[];
  readonly responseViolations: readonly Violation[];
}

/** Thrown if a folder of recordings cannot be used. The message is one sentence. */
export class RecordingError extends TypeError {
  override readonly name = 'RecordingError';
}

/** Returns the hash of the contract that a mock serves, or `undefined` for custom documents. */
export function contractHashOf({
  contract,
}: Pick<ResolvedOptions, 'contract'>): string | undefined {
  return contract === undefined ? CONTRACT.sha256 : undefined;
}

/** Encodes bytes for a recording, as readable text if possible. */
export function toJsonBody(bytes: Buffer): JsonBody {
  return isUtf8(bytes) ? { text: bytes.toString() } : { base64: bytes.toString('base64') };
}

export function fromJsonBody(body: JsonBody | undefined): Buffer {
  if (body === undefined) return Buffer.alloc(0);
  return 'text' in body ? Buffer.from(body.text) : Buffer.from(body.base64, 'base64');
}

/** Shorter values are not secrets, and would match everywhere. */
const MIN_LENGTH = 8;

/** Maximum number of secrets; the oldest are dropped. */
const CAPACITY = 10_000;

/** Query parameters that contain credentials in the links and APIs of common platforms. */
const SECRET_PARAMETER =
  /([?&](?:access_token|token|api_?key|key|secret|password|sign|sig|signature|q-signature|x-amz-(?:signature|credential|security-token)|[\w-]*-security-token)=)[^&#\s"<]*/gi;

/** Returns the part of a credential that is secret by itself. */
const SECRET_PART = /(?:^(?:Bearer|Basic) +|\b(?:Signature|Token)=)([^\s,]+)/gi;

const GRANT_MEMBER = /"(?:authorization|token)"\s*:\s*"((?:[^"\\]|\\.)*)"/g;

export type Scrubber = ReturnType<typeof createScrubber>;

/**
 * Creates a scrubber that removes everything that the log's redactor removes, and also query parameters that
 * contain credentials. A secret from a header or a grant is removed wherever it appears again, for example in
 * the response of a service that echoes its headers.
 *
 * @param holder provides the current wire names
 */
export function createScrubber(holder: { readonly profile: WireProfile }) {
  const secrets = new Set<string>();

  function remember(value: string): void {
    if (value.length < MIN_LENGTH) return;
    for (const form of formsOf(value)) {
      secrets.delete(form);
      secrets.add(form);
      if (secrets.size > CAPACITY) secrets.delete(secrets.values().next().value as string);
    }
  }
  function hide(text: string): string {
    // Longest first: one may be part of another.
    const found = [...secrets].filter((secret) => text.includes(secret));
    return found
      .sort((one, other) => other.length - one.length)
      .reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text);
  }

  return {
    /** Remembers the secrets in a request, so that they are removed wherever they appear later. */
    learn(raw: RawHeaders): void {
      const { authorization, sessionToken } = holder.profile.storageHeaders;
      const names = [...SECRET_HEADERS, authorization.toLowerCase(), sessionToken.toLowerCase()];
      for (const value of names.flatMap((name) => listHeader(raw, name))) {
        remember(value);
        for (const [, part = ''] of value.matchAll(SECRET_PART)) remember(part);
      }
      for (const value of listHeader(raw, 'cookie')) {
        for (const pair of value.split(';')) remember(cookieOf(pair));
      }
      for (const value of listHeader(raw, 'set-cookie')) remember(cookieOf(value));
      for (const value of listHeader(raw, 'sec-websocket-protocol')) {
        for (const [, token = ''] of value.matchAll(/berth\.bearer\.([^,\s]+)/g)) remember(token);
      }
    },
    /** Remembers the secrets in a storage response: the upload grant. */
    learnGrant(body: Buffer): void {
      for (const [, value = ''] of body.toString().matchAll(GRANT_MEMBER)) {
        remember(value);
        remember(String(parseJson(`"${value}"`) ?? ''));
      }
    },
    target: (target: string): string =>
      hide(
        createRedactor(holder.profile).target(target).replace(SECRET_PARAMETER, `$1${REDACTED}`),
      ),
    headers(raw: RawHeaders): RecordedMessage['headers'] {
      const redactor = createRedactor(holder.profile);
      return toHeaders(raw, (name, value) =>
        hide(redactor.header(name, value).replace(SECRET_PARAMETER, `$1${REDACTED}`)),
      );
    },
    body(side: 'request' | 'response', surface: SurfaceName, body: Buffer): Buffer {
      const shown = Buffer.from(createRedactor(holder.profile)[side](surface, body));
      const text = shown.toString('latin1');
      const hidden = hide(text);
      return hidden === text
        ? shown
        : Buffer.from(hidden.replaceAll(REDACTED, toLatin1(REDACTED)), 'latin1');
    },
  };
}

/** Returns a secret as it is encoded in a header, in JSON and in a URL. */
function formsOf(value: string): string[] {
  return [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value.toWellFormed())];
}

/** Returns the value of `name=value; Path=/`. */
function cookieOf(pair: string): string {
  return /=([^;]*)/.exec(pair)?.[1]?.trim() ?? '';
}
