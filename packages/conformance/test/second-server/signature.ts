import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** What a signature covers (D16). */
export interface SignedCall {
  method: string;
  path: string;
  /** Without `?`. */
  query: string;
  /** The signed headers, normalized and sorted. */
  headers: readonly (readonly [name: string, value: string])[];
  body: Buffer | string;
}

export interface Scope {
  date: string;
  service: string;
  timestamp: string;
}

export function toSignature(call: SignedCall, scope: Scope, secretKey: string): string {
  const { method, path, query, headers, body } = call;
  const { date, service, timestamp } = scope;
  const lines = headers.map(([name, value]) => `${name}:${value}\n`).join('');
  const names = headers.map(([name]) => name).join(';');
  const canonical = [method, path, query, lines, names, sha256(body)].join('\n');
  // `node:http` represents each byte of a header as one character.
  const hash = sha256(Buffer.from(canonical, 'latin1'));
  const text = `TC3-HMAC-SHA256\n${timestamp}\n${date}/${service}/tc3_request\n${hash}`;
  return [date, service, 'tc3_request', text]
    .reduce(
      (key, step) => createHmac('sha256', key).update(step).digest(),
      Buffer.from(`TC3${secretKey}`),
    )
    .toString('hex');
}

const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest('hex');

/** Returns whether a signature is the expected one, in constant time. */
export const isSame = (signature: string, expected: string): boolean =>
  signature.length === expected.length &&
  timingSafeEqual(Buffer.from(signature, 'latin1'), Buffer.from(expected, 'latin1'));

/**
 * Returns the parts of `TC3-HMAC-SHA256 Credential=<id>/<UTC date>/<service>/tc3_request, SignedHeaders=<a;b>,
 * Signature=<hex>, Timestamp=<unix seconds>[, Token=<token>]` (D16), with or without the spaces. `undefined` for other
 * schemes, and if a part is repeated.
 */
export function readParts(authorization = ''): Record<string, string> | undefined {
  const [, list] = /^TC3-HMAC-SHA256\s+(.*)$/.exec(authorization) ?? [];
  const parts = list?.split(',').map((part) => /^\s*(\w+)=(.*?)\s*$/.exec(part) ?? ['', '', '']);
  if (!parts || new Set(parts.map(([, name]) => name)).size < parts.length) return undefined;
  return Object.fromEntries(parts.map(([, name, value]) => [name, value]));
}
