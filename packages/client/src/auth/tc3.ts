import { SIGNATURE } from '../generated/contract.gen.ts';
import { isStream } from '../internal/to-body.ts';
import type { GatewayAuth, SignableRequest } from './auth.ts';
import { createTc3Signer, type Tc3KeyPair } from './tc3/create-tc3-signer.ts';
import type { Bytes } from './tc3/digest.ts';

/**
 * Options of {@link tc3}.
 *
 * @example
 * const auth = tc3({ secretId, secretKey, token, signedHeaders: ['content-type', 'host'] });
 */
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
export function tc3(options: Tc3Options): GatewayAuth {
  if (!options) throw new TypeError('tc3 needs { secretId, secretKey }.');
  const { signedHeaders, service = SIGNATURE.service, token, ...pair } = options;
  const sign = createTc3Signer(pair, service);
  const listed = signedHeaders?.map((name) => name.toLowerCase() as Lowercase<string>);
  return {
    async authorize({ method, url, headers, body, now }) {
      const page = (globalThis as { location?: { href: string } }).location;
      const { host, pathname, search } = new URL(url, page?.href);
      const signed: Record<string, string> = {};
      for (const name of listed ?? ('content-type' in headers ? ['content-type'] : [])) {
        const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
        if (value === undefined && name !== 'host') {
          throw new TypeError(`The header ${name} is to be signed, but the call has none.`);
        }
        signed[name] = value ?? '';
      }
      signed.host = host;
      const seconds = Math.floor(now / 1000);
      const signature = await sign(seconds, {
        method,
        path: pathname,
        query: search.slice(1),
        headers: signed,
        body: await toWhole(body),
      });
      return `${signature}, Timestamp=${seconds}${token ? `, Token=${token}` : ''}`;
    },
  };
}

async function toWhole(body: SignableRequest['body']): Promise<string | Bytes> {
  const given = body ?? '';
  if (typeof given === 'string') return given;
  if (given instanceof FormData || isStream(given)) {
    throw new TypeError(
      'A signed call needs its body whole: give a string, bytes or a Blob instead of a stream or form, or use bearer().',
    );
  }
  return new Uint8Array(await new Response(body).arrayBuffer());
}
