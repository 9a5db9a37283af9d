import { SIGNATURE } from '../generated/contract.gen.ts';
import { isStream } from '../internal/to-body.ts';
import {
  askOnce,
  type GatewayAuth,
  type SignableRequest,
  type StorageCredentials,
} from './credentials.ts';

type Bytes = Uint8Array<ArrayBuffer>;

const HMAC = { name: 'HMAC', hash: 'SHA-256' };

/** How long before its expiry a key pair is replaced, in milliseconds; longer than a call takes. */
const MARGIN = 60_000;

/** A key pair, with its session token if it is temporary. */
export interface Tc3KeyPair {
  /** Identifies the key pair; it is sent. */
  readonly secretId: string;
  /** Signs the call; it is never sent. */
  readonly secretKey: string;
  /** Session token of temporary credentials. Default: none, as for permanent ones. */
  readonly token?: string | undefined;
}

/**
 * Options of {@link tc3}.
 *
 * @example
 * const auth = tc3({ secretId, secretKey, token, signedHeaders: ['content-type', 'host'] });
 */
export interface Tc3Options extends Tc3KeyPair {
  /** Service in the scope of the signature. Default: the one of the contract (D16). */
  readonly service?: string | undefined;
  /**
   * Names of the headers to sign, in addition to `host`. A call that lacks one of them fails.
   * Default: `content-type`, if the call has one.
   */
  readonly signedHeaders?: readonly string[] | undefined;
}

/**
 * Signs each call of the gateway with a key pair (signature version 3, D16), using WebCrypto and the
 * server's time as far as it is known. Keep key pairs out of web pages: anyone who can open the page
 * can read them.
 *
 * The signature covers the body, so the body must be in memory: a string, bytes, a `Blob` or
 * `URLSearchParams`.
 *
 * @throws TypeError if `secretId` or `secretKey` is empty; a call throws it if its body is a stream or
 *   a form, or if it lacks a header to sign
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
          throw new TypeError(`The call has no ${name} header to sign.`);
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
        body: await toSignedBody(body),
      });
      return `${signature}, Timestamp=${seconds}${token ? `, Token=${token}` : ''}`;
    },
  };
}

/** A key pair that may expire. */
export interface ExpiringKeyPair extends Tc3KeyPair {
  /** When it expires: a date, its ISO text, or milliseconds since the epoch. Default: never. */
  readonly expires?: Date | string | number | undefined;
}

/**
 * Options of {@link tc3Storage}.
 *
 * @example
 * const credentials = tc3Storage(pair, { signingHost: 'api.example.com' });
 */
export interface Tc3StorageOptions {
  /** Service in the scope of the signature. Default: the one of the contract (D16). */
  readonly service?: string | undefined;
  /** Host in the constant text, not that of the URL. Default: the one of the contract (D17). */
  readonly signingHost?: string | undefined;
}

/**
 * Signs storage calls with a key pair (D17), using WebCrypto. A pair from a function is cached until a
 * minute before it expires; then the function is called again, once for all waiting calls. If it fails,
 * each waiting call fails with its error as `cause`, and later calls try again.
 *
 * @throws TypeError if `secretId` or `secretKey` is empty
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
    throw new TypeError(
      'tc3Storage needs { secretId, secretKey }, or a function that returns them.',
    );
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

async function toSignedBody(body: SignableRequest['body']): Promise<string | Bytes> {
  const given = body ?? '';
  if (typeof given === 'string') return given;
  if (given instanceof FormData || isStream(given)) {
    throw new TypeError(
      'A signed call needs a body in memory: pass a string, bytes or a Blob instead of a stream or form, or use bearer().',
    );
  }
  return new Uint8Array(await new Response(body).arrayBuffer());
}

/** What a signature covers (D16). */
interface Tc3Request {
  readonly method: string;
  /** As sent, without decoding. */
  readonly path: string;
  /** As sent, without the question mark; empty if there is none. */
  readonly query: string;
  /** The signed headers by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Bytes;
}

/** The canonical request as text, and the list of its headers as in `SignedHeaders`. */
function toCanonicalRequest(
  { method, path, query, headers }: Omit<Tc3Request, 'body'>,
  bodyHash: string,
) {
  const names = Object.keys(headers).sort();
  const lines = names.map((name) => `${name}:${toSignedValue(name, headers[name] as string)}\n`);
  const signedHeaders = names.join(';');
  const text = [method, path, query, lines.join(''), signedHeaders, bodyHash].join('\n');
  return { text, signedHeaders };
}

/**
 * "Values trimmed and lower-cased, content-type kept as sent, `multipart/form-data` with its boundary
 * cut" (D16).
 */
function toSignedValue(name: string, value: string): string {
  const text = value.trim();
  return name === 'content-type'
    ? text.replace(/^(multipart\/form-data)\s*;.*/i, '$1')
    : text.toLowerCase();
}

/** Signs at a time in seconds: `TC3-HMAC-SHA256 Credential=…, SignedHeaders=…, Signature=…`. */
type Tc3Signer = (seconds: number, request: Tc3Request) => Promise<string>;

/**
 * Creates the signer of a key pair. It caches the derived key of the day.
 *
 * @throws TypeError if `secretId` or `secretKey` is empty, or if the platform has no WebCrypto
 */
function createTc3Signer({ secretId, secretKey }: Tc3KeyPair, service: string): Tc3Signer {
  if (!secretId || !secretKey) throw new TypeError('secretId or secretKey is empty.');
  // Web Cryptography API, section 10: `subtle` exists in secure contexts only.
  if (!globalThis.crypto?.subtle)
    throw new TypeError('Signing needs WebCrypto, which needs https.');
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

async function sha256(content: string | Bytes): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest(HMAC.hash, toBytes(content))));
}

async function hmac(key: string | Bytes, text: string): Promise<Bytes> {
  const { subtle } = crypto;
  const usable = await subtle.importKey('raw', toBytes(key), HMAC, false, ['sign']);
  return new Uint8Array(await subtle.sign(HMAC.name, usable, toBytes(text)));
}

function toHex(bytes: Bytes): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function toBytes(content: string | Bytes): Bytes {
  return typeof content === 'string' ? new TextEncoder().encode(content) : content;
}
