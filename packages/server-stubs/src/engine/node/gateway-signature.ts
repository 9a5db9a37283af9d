import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { GatewayError } from '../../errors.ts';
import type { GatewayLogin } from '../../gateway/gateway-security.ts';
import { SIGNATURE } from '../../generated/contract.gen.ts';
import type { Caller, Clock } from './caller.ts';
import type { KeyPairs } from './key-pairs.ts';
import {
  decodeWire,
  EMPTY_HASH,
  MalformedSignature,
  parseSignature,
  sha256,
  type Tc3Signature,
  toCanonicalHead,
  toContentTypeSpellings,
  toScopeDate,
  toSignedValue,
  toStringToSign,
} from './tc3.ts';

const FIELDS = ['Timestamp', 'Token'] as const;
const PREFIX = `${SIGNATURE.algorithm} `;
/**
 * The same message for everything that must be indistinguishable: an unknown ID, a wrong secret or
 * token, an expired pair.
 */
const MISMATCH =
  'The signature does not match the request, or its key pair or token is unknown or has expired.';

type SignedCall = Pick<GatewayLogin, 'env' | 'request' | 'rawPath' | 'rawQuery'>;

export interface GatewaySignatureOptions {
  readonly pairs: () => KeyPairs;
  readonly service: string;
  readonly clock: (request: IncomingMessage) => Clock;
}

/**
 * Creates a function that authenticates callers by the request signature (D16). If the request has a body,
 * `Caller.verifyBody` must verify its SHA-256, which the signature covers. `verifyBody` also rejects unknown
 * IDs and expired pairs, because rejecting them before the body is read would reveal which IDs exist. Only
 * what does not depend on the key pair is checked earlier, such as the format and the time.
 */
export function createGatewaySignature({
  pairs,
  service,
  clock: clockOf,
}: GatewaySignatureOptions) {
  return (value: string, login: SignedCall): Caller => {
    const { env, request } = login;
    const clock = clockOf(request);
    const given = readable(() => parseSignature(value.slice(PREFIX.length), FIELDS));
    const { id, token, timestamp = 0 } = given;
    if (given.service !== service) {
      throw refusal(`The service in the Credential field must be ${service}.`);
    }
    assertTime(given, clock);
    const heads = readable(() => toCanonicalHeads(login, given.signedHeaders));
    const pair = pairs().find(id, env);
    const expected = Buffer.from(given.signature, 'hex');
    const fits = (bodyHash: string): boolean => {
      let isSame = false;
      for (const head of heads) {
        const { algorithm } = SIGNATURE;
        const text = toStringToSign(algorithm, timestamp, given, sha256(head + bodyHash));
        isSame = timingSafeEqual(pair.sign(given, text), expected) || isSame;
      }
      return isSame;
    };
    const isUsable = pair.isUsable(token, clock.now()) && pair.env === env;
    if (hasBody(request)) {
      const verifyBody = (bodyHash: string): void => {
        if (!fits(bodyHash) || !isUsable) throw refusal(MISMATCH);
      };
      return { env, id, verifyBody };
    }
    if (!fits(EMPTY_HASH) || !isUsable) throw refusal(MISMATCH);
    return { env, id };
  };
}

function assertTime({ timestamp = 0, date }: Tc3Signature, clock: Clock): void {
  const reason = clock.refusalOf(timestamp);
  if (reason !== undefined) throw refusal(reason);
  if (date !== toScopeDate(timestamp)) {
    throw refusal('The date in the Credential field must be the UTC date of the Timestamp.');
  }
}

function toCanonicalHeads(
  { request, rawPath, rawQuery = '' }: SignedCall,
  names: readonly string[],
): readonly string[] {
  const { method = '', headers, url = '' } = request;
  // D16 requires `host` in the list. A host in the request target would take precedence over `Host`.
  if (!names.includes('host')) throw new MalformedSignature('SignedHeaders must include host.');
  if (!url.startsWith('/'))
    throw new MalformedSignature('The request target of a signed call must be a path.');
  const values = names.map((name) => [name, decodeWire(headerOf(headers, name))] as const);
  const type = values.find(([name]) => name === 'content-type')?.[1];
  return toContentTypeSpellings(type ?? '').map((spelling) =>
    toCanonicalHead({
      method,
      path: decodeWire(rawPath),
      query: decodeWire(rawQuery),
      headers: values.map(
        ([name, value]) =>
          [name, name === 'content-type' ? spelling : toSignedValue(name, value)] as const,
      ),
    }),
  );
}

function headerOf(headers: IncomingHttpHeaders, name: string): string {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
  if (value === undefined) {
    throw new MalformedSignature('SignedHeaders contains a header that the request does not have.');
  }
  return Array.isArray(value) ? value.join(', ') : value;
}

/** RFC 9112, section 6: "The presence of a message body in a request is signaled by" one of these. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function readable<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw error instanceof MalformedSignature ? refusal(error.message) : error;
  }
}

function refusal(message: string): GatewayError {
  return new GatewayError('INVALID_CREDENTIALS', { message });
}
