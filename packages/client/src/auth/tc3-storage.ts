import { SIGNATURE } from '../generated/contract.gen.ts';
import { askOnce } from '../internal/ask-once.ts';
import type { StorageCredentials } from '../storage-credentials.ts';
import { createTc3Signer, type Tc3KeyPair } from './tc3/create-tc3-signer.ts';
import type { Tc3Request } from './tc3/to-canonical-request.ts';

/** A key pair that may end. */
export interface ExpiringKeyPair extends Tc3KeyPair {
  /** When it ends: a date, its ISO text, or milliseconds since the epoch. Default: never. */
  readonly expires?: Date | string | number | undefined;
}

/**
 * Options of {@link tc3Storage}.
 *
 * @example
 * const credentials = tc3Storage(pair, { signingHost: 'api.example.com' });
 */
export interface Tc3StorageOptions {
  /** Service in the scope of the signature. Default: that of the contract (D16). */
  readonly service?: string | undefined;
  /** Host in the constant text, not that of the address. Default: that of the contract (D17). */
  readonly signingHost?: string | undefined;
}

/** A pair is replaced so long before it ends, in milliseconds: longer than a call takes. */
const MARGIN = 60_000;

/**
 * Signs storage calls with a key pair (D17), by WebCrypto. A pair from a function is kept until a
 * minute before it ends; then it is asked once more, however many calls wait for it. Where it fails,
 * each waiting call fails with its error as `cause`, and later ones ask again.
 *
 * @throws TypeError where a half of the pair is empty
 *
 * @example
 * const credentials = tc3Storage(async () => (await fetch('/my-backend/keys')).json());
 * const storage = createStorageClient({ baseUrl: 'https://storage.example.com', envId: 'dev', credentials });
 */
export function tc3Storage(
  pair: ExpiringKeyPair | (() => ExpiringKeyPair | Promise<ExpiringKeyPair>),
  {
    service = SIGNATURE.service,
    signingHost = SIGNATURE.storageSigningHost,
  }: Tc3StorageOptions = {},
): (now?: number) => Promise<StorageCredentials> {
  if (!pair) {
    throw new TypeError('tc3Storage needs { secretId, secretKey }, or a function that gives them.');
  }
  const toSigner = (given: ExpiringKeyPair) => ({
    sign: createTc3Signer(given, service),
    sessionToken: given.token ?? '',
    end:
      given.expires === undefined
        ? Number.POSITIVE_INFINITY
        : new Date(given.expires).getTime() - MARGIN,
  });
  let signer = typeof pair === 'function' ? undefined : toSigner(pair);
  const ask = typeof pair === 'function' && askOnce(pair, 'the key pair');
  return async (now = Date.now()) => {
    if (ask && !(signer && now < signer.end)) signer = toSigner(await ask());
    const { sign, sessionToken } = signer as ReturnType<typeof toSigner>;
    const timestamp = Math.floor(now / 1000);
    const signature = await sign(timestamp, toConstantRequest(signingHost));
    return { authorization: `${SIGNATURE.storageVersion} ${signature}`, sessionToken, timestamp };
  };
}

/** "A constant text, whatever the real URL and body"; its two slashes are part of it. */
function toConstantRequest(host: string): Tc3Request {
  const headers = { 'content-type': SIGNATURE.storageContentType, host };
  return { method: 'POST', path: `//${host}/`, query: '', headers, body: '' };
}
