import type { SurfaceName } from '../../contract/surface.ts';
import { perProfile, type WireProfile } from '../../contract/wire-profile.ts';
import { createRedactor, REDACTED } from '../../session/redactor.ts';
import { listHeader, type RawHeaders } from '../headers.ts';
import type { RecordedMessage } from './recording.ts';

/** Shorter values are no secrets, and would be found everywhere. */
const MIN_LENGTH = 8;

/** Secrets that are remembered; the oldest are forgotten. */
const CAPACITY = 10_000;

/** Query parameters that are credentials in the links and APIs of common platforms. */
const SECRET_PARAMETER =
  /([?&](?:access_token|token|api_?key|key|secret|password|sign|sig|signature|q-signature|x-amz-(?:signature|credential|security-token)|[\w-]*-security-token)=)[^&#\s"<]*/gi;

const SECRET_HEADERS = ['authorization', 'proxy-authorization', 'cookie', 'set-cookie'];

/** What of a credential is secret by itself. */
const SECRET_PART = /(?:^(?:Bearer|Basic) +|\b(?:Signature|Token)=)([^\s,]+)/gi;

const GRANT_MEMBER = /"(?:authorization|token)"\s*:\s*"((?:[^"\\]|\\.)*)"/g;

/** Leaves secrets out of what is written to files. */
export interface Scrubber {
  /** Remembers the secrets of a request, wherever they come back later. */
  learn(headers: RawHeaders): void;
  /** Remembers those of an answer of storage: the grant of an upload. */
  learnGrant(body: Buffer): void;
  target(target: string): string;
  headers(raw: RawHeaders): RecordedMessage['headers'];
  body(side: 'request' | 'answer', surface: SurfaceName, body: Buffer): Buffer;
}

/**
 * The redactor of the log, and beyond it: parameters that are credentials, and each secret of a header
 * or a grant wherever it comes back, such as in the answer of a service that echoes its headers.
 *
 * @param holder knows the names on the wire
 */
export function createScrubber(holder: { readonly profile: WireProfile }): Scrubber {
  const redactorOf = perProfile(holder, createRedactor);
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
    // The longest first: one may be a part of another.
    const found = [...secrets].filter((secret) => text.includes(secret));
    return found
      .sort((one, other) => other.length - one.length)
      .reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text);
  }

  return {
    learn(raw) {
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
    learnGrant(body) {
      for (const [, value = ''] of body.toString().matchAll(GRANT_MEMBER)) {
        remember(value);
        remember(unquote(value));
      }
    },
    target: (target) =>
      hide(redactorOf().target(target).replace(SECRET_PARAMETER, `$1${REDACTED}`)),
    headers(raw) {
      const headers: Record<string, string | string[]> = {};
      for (let at = 0; at < raw.length; at += 2) {
        const name = (raw[at] as string).toLowerCase();
        const shown = redactorOf().header(name, raw[at + 1] as string);
        const value = hide(shown.replace(SECRET_PARAMETER, `$1${REDACTED}`));
        const known = headers[name];
        headers[name] = known === undefined ? value : [known, value].flat();
      }
      return headers;
    },
    body(side, surface, body) {
      const shown = Buffer.from(redactorOf()[side](surface, body));
      const text = shown.toString('latin1');
      const hidden = hide(text);
      return hidden === text
        ? shown
        : Buffer.from(hidden.replaceAll(REDACTED, toLatin1(REDACTED)), 'latin1');
    },
  };
}

/** A secret as it stands in a header, in JSON and in an address. */
function formsOf(value: string): string[] {
  return [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value.toWellFormed())];
}

/** The value of `name=value; Path=/`. */
function cookieOf(pair: string): string {
  return /=([^;]*)/.exec(pair)?.[1]?.trim() ?? '';
}

function unquote(literal: string): string {
  try {
    return JSON.parse(`"${literal}"`);
  } catch {
    return literal;
  }
}

function toLatin1(text: string): string {
  return Buffer.from(text).toString('latin1');
}
