import type { Credential } from './auth-environment.ts';
import { signature as constants } from './defaults.ts';
import { createSigner, sha256 } from './tc3/signing-key.ts';
import { toCanonicalHead } from './tc3/to-canonical-request.ts';
import { toContentTypeSpellings, toSignedValue } from './tc3/to-signed-value.ts';
import { toScopeDate, toStringToSign } from './tc3/to-string-to-sign.ts';

/** A gateway call to be signed. */
export interface UnsignedRequest {
  readonly method: string;
  /** Path and query as they will be sent. */
  readonly target: string;
  /** All that are to be signed; `host` must be one of them. Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Default: none. */
  readonly body?: string | Uint8Array;
  /** Seconds since the epoch. */
  readonly timestamp: number;
  /** Default: the one of the contract. */
  readonly service?: string;
}

/**
 * The value of `Authorization` for a signed gateway call (D16).
 *
 * @example
 * const headers = { host: 'dev.example', 'content-type': 'application/json' };
 * const timestamp = Math.floor(Date.now() / 1000);
 * signGatewayRequest({ id, secret }, { method: 'GET', target: '/v1/cloudrun/hello', headers, timestamp });
 */
export function signGatewayRequest(
  { id, secret, token }: Credential,
  { method, target, headers, body = '', timestamp, service = constants.service }: UnsignedRequest,
): string {
  const [path = '', ...rest] = target.split('?');
  const signed = Object.entries(headers)
    .map(([name, value]) => [name, toValue(name, value)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const head = toCanonicalHead({ method, path, query: rest.join('?'), headers: signed });
  const scope = { date: toScopeDate(timestamp), service };
  const { algorithm } = constants;
  const text = toStringToSign(algorithm, timestamp, scope, sha256(head + sha256(body)));
  const list = signed.map(([name]) => name).join(';');
  const hex = createSigner(secret)(scope, text).toString('hex');
  const end = token === undefined ? '' : `, Token=${token}`;
  return `${algorithm} Credential=${id}/${scope.date}/${service}/tc3_request, SignedHeaders=${list}, Signature=${hex}, Timestamp=${timestamp}${end}`;
}

function toValue(name: string, value: string): string {
  return name === 'content-type'
    ? (toContentTypeSpellings(value)[0] as string)
    : toSignedValue(name, value);
}
