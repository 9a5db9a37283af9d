import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import { type HeaderList, readAll, splitTarget, toHeaderList } from '../http/exchange.ts';
import type { Settings } from '../options.ts';
import { signCanonical, signTc3, type Tc3Keys, toTc3Header } from './sign-tc3.ts';

const { storageVersion, storageSignedHeaders, storageContentType } = defaults.signature;

/** The SHA-256 of nothing. */
const NOTHING = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** The request that will be sent, without credentials. */
export interface UnsignedCall {
  method: string;
  /** Absolute URL, with path and query exactly as sent. */
  url: string;
  headers: HeaderList;
  body: Uint8Array;
}

/** Creates the headers that identify the caller of one call. */
type Signer = (call: UnsignedCall) => HeaderList;

/** The available schemes for signing a gateway call. */
export type GatewayScheme = 'bearer' | 'signature';

export interface Signers {
  gateway: Partial<Record<GatewayScheme, Signer>>;
  /** Absent if the operator provided no credentials. */
  storage?: () => HeaderList;
}

/** Creates signing functions from a run's credentials, because each call is signed separately. */
export function createSigners(settings: Settings): Signers {
  const { gatewayToken, tc3, storageHeaders, wireProfile } = settings;
  const { authorization, sessionToken, timestamp } = wireProfile.storageHeaders;
  const isGiven = Object.keys(storageHeaders).length > 0;
  const gateway: Signers['gateway'] = {
    ...(gatewayToken && { bearer: () => [['Authorization', `Bearer ${gatewayToken}`]] }),
    ...(tc3 && { signature: (call) => signGateway(call, tc3) }),
  };
  if (isGiven) return { gateway, storage: () => toHeaderList(storageHeaders) };
  if (tc3 === undefined) return { gateway };
  const storage = (): HeaderList => {
    const time = now();
    return [
      [authorization, signStorage(time, tc3.storageSigningHost, tc3)],
      [sessionToken, tc3.token ?? ''],
      [timestamp, String(time)],
    ];
  };
  return { gateway, storage };
}

/** A signature covers the effective `Host` (D16). */
function signGateway({ method, url, headers, body }: UnsignedCall, keys: Tc3Keys): HeaderList {
  const { pathname: path, search: query } = splitTarget(url);
  const hosts = readAll(headers, 'host');
  const signed: HeaderList = [
    ['host', hosts[0] ?? new URL(url).host],
    ...readAll(headers, 'content-type').map((value) => ['content-type', value] as const),
  ];
  const input = { method, path, query, headers: signed, body, timestamp: now() };
  return [['Authorization', toTc3Header(signTc3(input, keys))]];
}

/**
 * Returns the value of the storage authorization header at a given time. The signed text is the same for
 * every call (D17).
 *
 * @param timestamp Unix time in seconds
 */
export function signStorage(timestamp: number, signingHost: string, keys: Tc3Keys): string {
  const canonical = [
    'POST',
    `//${signingHost}/`,
    '',
    `content-type:${storageContentType}`,
    `host:${signingHost}`,
    '',
    storageSignedHeaders,
    NOTHING,
  ].join('\n');
  const parts = signCanonical(canonical, storageSignedHeaders, timestamp, keys);
  const { Credential, SignedHeaders, Signature } = parts;
  return `${storageVersion} ${toTc3Header({ Credential, SignedHeaders, Signature })}`;
}

function now(): number {
  return Math.floor(Date.now() / 1000);
}
