import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import { type HeaderList, readAll, splitTarget, toHeaderList } from '../http/exchange.ts';
import type { Settings } from '../options.ts';
import { signCanonical, signTc3, type Tc3Keys, type Tc3Parts, toTc3Header } from './sign-tc3.ts';

const { storageVersion, storageSignedHeaders, storageContentType } = defaults.signature;

const NOTHING = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** Creates signing functions from a run's credentials, because each call is signed separately. */
export function createSigners(settings: Settings): Signers {
  const { gatewayToken, tc3, storageHeaders, wireProfile } = settings;
  const names = wireProfile.storageHeaders;
  const gateway: Signers['gateway'] = {};
  if (gatewayToken) gateway.bearer = () => [['Authorization', `Bearer ${gatewayToken}`]];
  if (tc3) {
    gateway.signature = (call) => {
      const { pathname, search } = splitTarget(call.url);
      const signed = withHost(call).headers.filter(([name]) => /^(host|content-type)$/i.test(name));
      const { method, body } = call;
      const input = { method, path: pathname, query: search, headers: signed, body };
      return [['Authorization', toTc3Header(signTc3({ ...input, timestamp: now() }, tc3))]];
    };
  }
  if (Object.keys(storageHeaders).length > 0) {
    return { gateway, storage: () => toHeaderList(storageHeaders) };
  }
  if (tc3 === undefined) return { gateway };
  const storage: Signer = () => {
    const timestamp = now();
    return [
      [names.authorization, signStorage(timestamp, tc3.storageSigningHost, tc3)],
      [names.sessionToken, tc3.token ?? ''],
      [names.timestamp, String(timestamp)],
    ];
  };
  return { gateway, storage };
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
  const { Credential, SignedHeaders, Signature }: Tc3Parts = signCanonical(
    canonical,
    storageSignedHeaders,
    timestamp,
    keys,
  );
  return `${storageVersion} ${toTc3Header({ Credential, SignedHeaders, Signature })}`;
}

/** The request that will be sent, without credentials. */
export interface UnsignedCall {
  method: string;
  /** Absolute URL, with path and query exactly as sent. */
  url: string;
  headers: HeaderList;
  body: Uint8Array;
}

/** Creates the headers that identify the caller of one call. */
export type Signer = (call: UnsignedCall) => HeaderList;

/** The available schemes for signing a gateway call. */
export type GatewayScheme = 'bearer' | 'signature';

export interface Signers {
  gateway: Partial<Record<GatewayScheme, Signer>>;
  /** Absent if the operator provided no credentials. */
  storage?: Signer;
}

/** Returns a call with its effective `Host`, which a signature must cover (D16). */
function withHost(call: UnsignedCall): UnsignedCall {
  if (readAll(call.headers, 'host').length > 0) return call;
  return { ...call, headers: [['Host', new URL(call.url).host], ...call.headers] };
}

function now(): number {
  return Math.floor(Date.now() / 1000);
}
