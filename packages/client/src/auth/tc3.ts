import { SIGNATURE } from '../generated/contract.gen.ts';
import type { GatewayAuth, SignableRequest } from './auth.ts';
import { createTc3Signer, type Tc3KeyPair } from './tc3/create-tc3-signer.ts';
import type { Bytes } from './tc3/digest.ts';
import { toCanonicalRequest } from './tc3/to-canonical-request.ts';

/** Options of {@link tc3}. */
export interface Tc3Options extends Tc3KeyPair {
  /** Service in the scope of the signature. Default: that of the contract (D16). */
  readonly service?: string | undefined;
  /**
   * Names of the headers that the signature covers; `host` always is. A call that lacks one fails.
   * Default: `host`, and `content-type` where a call has one.
   */
  readonly signedHeaders?: readonly string[] | undefined;
}

/**
 * Signs each call of the gateway with a key pair (signature version 3, D16), by WebCrypto. The time is
 * that of the server, as far as it is known. Keep key pairs out of web pages: who can open the page has
 * them.
 *
 * The signature covers the body, so it must be at hand whole: a string, bytes, a `Blob` or
 * `URLSearchParams`.
 *
 * @throws TypeError where a half of the pair is empty; a call throws it where its body is a stream or a
 *   form, or where a header to be signed is missing
 *
 * @example
 * const auth = tc3({ secretId: env.BERTH_SECRET_ID, secretKey: env.BERTH_SECRET_KEY });
 * const gateway = createGatewayClient({ envId: 'dev', gatewayDomain: 'gateway.example.com', auth });
 */
export function tc3({
  signedHeaders,
  service = SIGNATURE.service,
  token,
  ...pair
}: Tc3Options): GatewayAuth {
  const sign = createTc3Signer(pair, service);
  const listed = signedHeaders?.map((name) => name.toLowerCase());
  return {
    async authorize({ method, url, headers, body, now }) {
      const names = listed ?? (headers.has('content-type') ? ['content-type'] : []);
      const canonical = await toCanonicalRequest({
        method,
        path: url.pathname,
        query: url.search.slice(1),
        headers: new Map(
          ['host', ...names].map((name) => [
            name,
            name === 'host' ? url.host : headerOf(headers, name),
          ]),
        ),
        body: await toWhole(body),
      });
      const seconds = Math.floor(now / 1000);
      const signature = await sign(seconds, canonical.text, canonical.signedHeaders);
      return `${signature}, Timestamp=${seconds}${token ? `, Token=${token}` : ''}`;
    },
  };
}

function headerOf(headers: Headers, name: string): string {
  const value = headers.get(name);
  if (value === null)
    throw new TypeError(`The header ${name} is to be signed, but the call has none.`);
  return value;
}

async function toWhole(body: SignableRequest['body']): Promise<string | Bytes> {
  if (typeof (body ?? '') === 'string') return (body as string | null) ?? '';
  if (body instanceof URLSearchParams) return String(body);
  if (body instanceof Blob) return new Uint8Array(await body.arrayBuffer());
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  if (ArrayBuffer.isView(body)) {
    return new Uint8Array(body.buffer as ArrayBuffer, body.byteOffset, body.byteLength);
  }
  throw new TypeError(
    'A signed call needs its body whole before it is sent: give a string, a Uint8Array or a Blob instead of a stream or form, or use bearer().',
  );
}
