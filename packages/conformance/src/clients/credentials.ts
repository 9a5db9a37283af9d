import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import { signStorage } from '../credentials/create-signers.ts';
import { signTc3 } from '../credentials/sign-tc3.ts';
import { readAll, splitTarget } from '../http/exchange.ts';
import type { Place, Received } from './replies.ts';

const { algorithm, service, storageSigningHost, storageVersion } = defaults.signature;

/** How far a timestamp may differ from our clock, in seconds. */
const CLOCK_WINDOW = defaults.limits.clockWindowSeconds.value;

/** Returns what is wrong with the bearer token of a request, if anything. */
export function findBearerFault(request: Received, { token }: Place): string | undefined {
  const value = request.header('authorization');
  if (value === undefined) return 'the Authorization header is missing';
  const [, sent] = /^Bearer +(.*)$/i.exec(value) ?? [];
  return sent === token ? undefined : 'the Authorization header does not contain the bearer token';
}

/** Returns what is wrong with the signature of a gateway request, if anything. */
export function findSignatureFault(request: Received, place: Place): string | undefined {
  const value = request.header('authorization');
  if (value === undefined) return 'the Authorization header is missing';
  const parts = readParts(value, algorithm);
  if (parts === undefined) return `the Authorization header must begin with ${algorithm}`;
  const timestamp = Number(parts.Timestamp);
  const clock = findClockFault(parts.Timestamp);
  if (clock !== undefined) return `in the signature, ${clock}`;
  if (parts.Token !== place.sessionToken) {
    return 'the signature must end with the session token (Token=…)';
  }
  const names = (parts.SignedHeaders ?? '').split(';');
  if (!names.includes('host')) return 'SignedHeaders must contain host';
  const missing = names.find((name) => readAll(request.headers, name).length === 0);
  if (missing !== undefined) return `the signed header ${missing} was not sent`;
  const { pathname, search } = splitTarget(request.target);
  const input = {
    ...{ method: request.method, path: pathname, query: search, body: request.body, timestamp },
    headers: names.map((name) => [name, request.header(name) ?? ''] as const),
  };
  const expected = signTc3(input, toKeys(place));
  if (parts.Credential !== expected.Credential) {
    return `Credential must be ${expected.Credential}`;
  }
  if (parts.Signature === expected.Signature) return undefined;
  return 'the signature is wrong for the method, path, query, headers and body that were sent';
}

/** Returns what is missing in the three headers of a storage request, if anything. */
export function findStorageFault(request: Received, place: Place): string | undefined {
  const { authorization, sessionToken, timestamp } = place.profile.storageHeaders;
  const missing = [authorization, sessionToken, timestamp].find(
    (name) => request.header(name) === undefined,
  );
  if (missing !== undefined) return `the ${missing} header is missing`;
  if (request.header(sessionToken) !== place.sessionToken) {
    return `the ${sessionToken} header does not contain the session token`;
  }
  const clock = findClockFault(request.header(timestamp));
  return clock && `the ${timestamp} header is invalid: ${clock}`;
}

/** Returns what is wrong with the signature of a storage request, if anything. */
export function findStorageSignatureFault(request: Received, place: Place): string | undefined {
  const names = place.profile.storageHeaders;
  const value = request.header(names.authorization) ?? '';
  const sent = readParts(value, `${storageVersion} ${algorithm}`);
  if (sent === undefined) {
    return `the ${names.authorization} header must begin with "${storageVersion} ${algorithm}"`;
  }
  const timestamp = Number(request.header(names.timestamp));
  const text = signStorage(timestamp, storageSigningHost, toKeys(place));
  const expected = readParts(text, `${storageVersion} ${algorithm}`);
  if (sent.Credential !== expected?.Credential) return `Credential must be ${expected?.Credential}`;
  return sent.Signature === expected?.Signature
    ? undefined
    : `the signature in the ${names.authorization} header is wrong`;
}

/** Returns the credentials that must not leave the gateway and the storage API. */
export function listCredentials({ token, secretKey, sessionToken }: Place): string[] {
  return [token, secretKey, sessionToken];
}

function toKeys({ secretId, secretKey, sessionToken }: Place) {
  return { secretId, secretKey, token: sessionToken, service };
}

function findClockFault(value: string | undefined): string | undefined {
  if (value === undefined || !/^\d{1,12}$/.test(value)) {
    return 'the timestamp must be whole seconds since the epoch';
  }
  const off = Math.abs(Date.now() / 1000 - Number(value));
  return off > CLOCK_WINDOW ? `the timestamp ${value} is not the current time` : undefined;
}

/** Parses `<scheme> Name=value, Name=value`; spaces after commas are optional. */
function readParts(value: string, scheme: string): Record<string, string> | undefined {
  if (!value.startsWith(`${scheme} `)) return undefined;
  const parts = value.slice(scheme.length + 1).split(/, */);
  return Object.fromEntries(
    parts.map((part) => {
      const [name = '', ...rest] = part.split('=');
      return [name.trim(), rest.join('=')];
    }),
  );
}
