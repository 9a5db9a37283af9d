import { createHmac, hash } from 'node:crypto';
import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import type { WireProfile } from '@berth/spec/wire-profile';
import { type Call, type HeaderList, readAll, splitTarget, toHeaderList } from './exchange.ts';

const { algorithm, storageVersion, storageContentType } = defaults.signature;

export type GatewayScheme = 'bearer' | 'signature';

export type CredentialKind = GatewayScheme | 'gateway' | 'storage';

interface Credentials {
  gatewayToken?: string | undefined;
  tc3: Tc3Keys | undefined;
  storageHeaders: Record<string, string>;
  wireProfile: WireProfile;
}

export type Signers = ReturnType<typeof createSigners>;

/** Creates what adds credentials to calls, for each kind that the operator provides. */
export function createSigners({ gatewayToken, tc3, storageHeaders, wireProfile }: Credentials) {
  const { authorization, sessionToken, timestamp } = wireProfile.storageHeaders;
  const headers = toHeaderList(storageHeaders);
  /** The key pair that signs storage calls, unless the operator provides their headers. */
  const storageKeys = headers.length > 0 ? undefined : tc3;
  const storage = (): HeaderList => {
    if (storageKeys === undefined) return headers;
    const time = now();
    return [
      [authorization, signStorage(time, storageKeys)],
      [sessionToken, storageKeys.token ?? ''],
      [timestamp, String(time)],
    ];
  };
  const bearer = (): HeaderList => [['Authorization', `Bearer ${gatewayToken}`]];
  return {
    bearer: gatewayToken === undefined ? undefined : bearer,
    signature: tc3 && ((call: Call) => signGateway(call, tc3)),
    storage: headers.length > 0 || tc3 ? storage : undefined,
    storageKeys,
    has(kind: CredentialKind): boolean {
      const signer = kind === 'gateway' ? (this.bearer ?? this.signature) : this[kind];
      return signer !== undefined;
    },
  };
}

/** A signature covers the effective `Host` (D16). */
function signGateway({ method, url, headers, body }: Call, keys: Tc3Keys): HeaderList {
  const { pathname: path, search: query } = splitTarget(url);
  const hosts = readAll(headers, 'host');
  const signed: HeaderList = [
    ['host', hosts[0] ?? new URL(url).host],
    ...readAll(headers, 'content-type').map((value) => ['content-type', value] as const),
  ];
  const input = { method, path, query, headers: signed, body, timestamp: now() };
  return [['Authorization', toTc3Header(signTc3(input, keys))]];
}

/** Returns a storage authorization. The signed text is the same for every call (D17). */
export function signStorage(timestamp: number, keys: Tc3Keys): string {
  const { storageSigningHost: host } = keys;
  const headers: HeaderList = [
    ['content-type', storageContentType],
    ['host', host],
  ];
  const path = `//${host}/`;
  const call = { method: 'POST', path, query: '', headers, body: Buffer.alloc(0), timestamp };
  const { Credential, SignedHeaders, Signature } = signTc3(call, keys);
  return `${storageVersion} ${toTc3Header({ Credential, SignedHeaders, Signature })}`;
}

export interface Tc3Keys {
  secretId: string;
  secretKey: string;
  /** Session token of temporary credentials. */
  token?: string | undefined;
  service: string;
  storageSigningHost: string;
}

/** The input to a signature. A check that needs an invalid signature changes part of the input. */
export interface Tc3Input {
  method: string;
  /** Path as sent, escapes included. */
  path: string;
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

/** Signs a request (D16). `content-type` is signed as sent, except for the boundary of a multipart form. */
export function signTc3(input: Tc3Input, keys: Tc3Keys): Tc3Parts {
  const { secretId, secretKey, token, service } = keys;
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
  const date = new Date(input.timestamp * 1000).toISOString().slice(0, 10);
  const scope = `${date}/${service}/tc3_request`;
  const text = [algorithm, input.timestamp, scope, hash('sha256', canonical)].join('\n');
  const key = [date, service, 'tc3_request'].reduce(hmac, Buffer.from(`TC3${secretKey}`));
  return {
    Credential: `${secretId}/${scope}`,
    SignedHeaders: signedHeaders,
    Signature: hmac(key, text).toString('hex'),
    Timestamp: String(input.timestamp),
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

export function now(): number {
  return Math.floor(Date.now() / 1000);
}
