import { SIGNATURE } from '../../generated/contract.gen.ts';
import { type Bytes, hmac, sha256, toHex } from './digest.ts';
import { type Tc3Request, toCanonicalRequest } from './to-canonical-request.ts';

/** A key pair, and the session token where it is temporary. */
export interface Tc3KeyPair {
  /** Names the key pair; it is sent. */
  readonly secretId: string;
  /** Signs; it is never sent. */
  readonly secretKey: string;
  /** Session token of temporary credentials. Default: none, as permanent ones need. */
  readonly token?: string | undefined;
}

/** Signs at a time in seconds: `TC3-HMAC-SHA256 Credential=…, SignedHeaders=…, Signature=…`. */
export type Tc3Signer = (seconds: number, request: Tc3Request) => Promise<string>;

/**
 * Makes the signer of a key pair. It keeps the key of a day.
 *
 * @throws TypeError where a half of the pair is empty, or where the platform has no WebCrypto
 */
export function createTc3Signer({ secretId, secretKey }: Tc3KeyPair, service: string): Tc3Signer {
  if (!secretId || !secretKey) throw new TypeError('secretId or secretKey is empty.');
  // Web Cryptography API, section 10: `subtle` is there in secure contexts only.
  if (!globalThis.crypto?.subtle)
    throw new TypeError('Without https there is no WebCrypto to sign.');
  const { algorithm } = SIGNATURE;
  let day: string;
  let key: Promise<string | Bytes>;
  return async (seconds, request) => {
    const date = new Date(seconds * 1000).toISOString().slice(0, 10);
    const scope = [date, service, 'tc3_request'];
    if (day !== date) {
      day = date;
      key = scope.reduce<typeof key>(
        async (last, part) => hmac(await last, part),
        Promise.resolve(`TC3${secretKey}`),
      );
    }
    const place = scope.join('/');
    const { text, signedHeaders } = toCanonicalRequest(request, await sha256(request.body));
    const toSign = [algorithm, seconds, place, await sha256(text)].join('\n');
    const signature = toHex(await hmac(await key, toSign));
    return `${algorithm} Credential=${secretId}/${place}, SignedHeaders=${signedHeaders}, Signature=${signature}`;
  };
}
