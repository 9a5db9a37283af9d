import { createHmac, hash } from 'node:crypto';
import defaults from '@berth/spec/defaults.json' with { type: 'json' };

const { algorithm } = defaults.signature;

/** A key pair of the platform, and the service name that its signatures apply to. */
export interface Tc3Keys {
  secretId: string;
  secretKey: string;
  /** Session token of temporary credentials. */
  token?: string | undefined;
  service: string;
}

/** The input to a signature. A check that needs an invalid signature changes part of the input. */
export interface Tc3Input {
  method: string;
  /** Path as sent, escapes included. */
  path: string;
  /** Query as sent, without `?`. */
  query: string;
  /** The headers to sign; must include `host`. */
  headers: readonly (readonly [name: string, value: string])[];
  body: Uint8Array;
  timestamp: number;
  /** Whether to sign the boundary of a multipart form; verifiers accept both. Default: it is removed. */
  boundary?: 'cut' | 'kept';
}

export interface Tc3Parts {
  Credential: string;
  SignedHeaders: string;
  Signature: string;
  Timestamp: string;
  Token?: string;
}

/**
 * Signs a request with signature version 3 (D16). `content-type` is signed as sent, except for the
 * boundary of a multipart form; every other value is lower-cased.
 */
export function signTc3(input: Tc3Input, keys: Tc3Keys): Tc3Parts {
  const headers = input.headers
    .map(([name, value]) => [name.toLowerCase(), value.trim()] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => {
      if (name !== 'content-type') return [name, value.toLowerCase()] as const;
      const [form] = /^multipart\/form-data(?=\s*;)/i.exec(value) ?? [];
      return [name, input.boundary === 'kept' ? value : (form ?? value)] as const;
    });
  const signedHeaders = headers.map(([name]) => name).join(';');
  const canonical = [
    input.method,
    input.path,
    input.query,
    ...headers.map(([name, value]) => `${name}:${value}`),
    '',
    signedHeaders,
    hash('sha256', input.body),
  ].join('\n');
  return signCanonical(canonical, signedHeaders, input.timestamp, keys);
}

export function signCanonical(
  canonical: string,
  signedHeaders: string,
  timestamp: number,
  { secretId, secretKey, token, service }: Tc3Keys,
): Tc3Parts {
  const date = new Date(timestamp * 1000).toISOString().slice(0, 10);
  const scope = `${date}/${service}/tc3_request`;
  const text = [algorithm, timestamp, scope, hash('sha256', canonical)].join('\n');
  const key = [date, service, 'tc3_request'].reduce(hmac, Buffer.from(`TC3${secretKey}`));
  return {
    Credential: `${secretId}/${scope}`,
    SignedHeaders: signedHeaders,
    Signature: hmac(key, text).toString('hex'),
    Timestamp: String(timestamp),
    ...(token && { Token: token }),
  };
}

export function toTc3Header(parts: Partial<Tc3Parts>, separator = ', '): string {
  const written = Object.entries(parts).map(([name, value]) => `${name}=${value}`);
  return `${algorithm} ${written.join(separator)}`;
}

function hmac(key: Uint8Array, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
