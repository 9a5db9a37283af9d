import { SIGNATURE } from '../../generated/contract.gen.ts';
import { type Bytes, hmac, sha256, toHex } from './digest.ts';

/** A key pair, and the session token where it is temporary. */
export interface Tc3KeyPair {
  /** Names the key pair; it is sent. */
  readonly secretId: string;
  /** Signs; it is never sent. */
  readonly secretKey: string;
  /** Session token of temporary credentials. Default: none, as permanent ones need. */
  readonly token?: string | undefined;
}

/**
 * Makes a function that signs a canonical request at a time in seconds since the epoch, and gives
 * `TC3-HMAC-SHA256 Credential=…, SignedHeaders=…, Signature=…`. The key of a day is kept.
 *
 * @throws TypeError where a half of the pair is empty
 */
export function createTc3Signer({ secretId, secretKey }: Tc3KeyPair, service: string) {
  for (const [name, value] of Object.entries({ secretId, secretKey })) {
    if (typeof value !== 'string' || !value) throw new TypeError(`${name} is empty.`);
  }
  const { algorithm } = SIGNATURE;
  let day: string;
  let key: Promise<Bytes>;
  return async (seconds: number, canonicalRequest: string, signedHeaders: string) => {
    const date = new Date(seconds * 1000).toISOString().slice(0, 10);
    if (day !== date) {
      day = date;
      key = [date, service, TERMINATOR].reduce(
        async (last, text) => hmac(await last, text),
        Promise.resolve(new TextEncoder().encode(`TC3${secretKey}`)),
      );
    }
    const scope = `${date}/${service}/${TERMINATOR}`;
    const hash = toHex(await sha256(canonicalRequest));
    const signature = await hmac(await key, `${algorithm}\n${seconds}\n${scope}\n${hash}`);
    return `${algorithm} Credential=${secretId}/${scope}, SignedHeaders=${signedHeaders}, Signature=${toHex(signature)}`;
  };
}

const TERMINATOR = 'tc3_request';
