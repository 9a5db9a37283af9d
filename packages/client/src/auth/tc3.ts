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

/** How long before its expiry a key pair is replaced, in milliseconds. Longer than a call takes. */
const MARGIN = 60_000;

/** A key pair, with a session token if it is temporary. */
export interface Tc3KeyPair {
  /** Identifies the key pair. Sent with every call. */
  readonly secretId: string;
  /** Signs the call. Never sent. */
  readonly secretKey: string;
  /** Session token, for temporary credentials. Default: none. */
  readonly token?: string | undefined;
}

/**
 * Options for {@link tc3}.
 *
 * @example
 * const auth = tc3({ secretId, secretKey, token });
 */
export interface Tc3Options extends Tc3KeyPair {
  /** Service in the signature scope. Default: the contract's (D16). */
  readonly service?: string | undefined;
}

/**
 * Signs each gateway call with a key pair (signature version 3, D16), using WebCrypto. Once the client knows
 * the server's time, it signs with that time. Never put key pairs in a web page: anyone who can open it can
 * read them.
 *
 * The signature covers the body, so the body must be in memory: a string, bytes, a `Blob` or
 * `URLSearchParams`.
 *
 * @throws TypeError if `secretId` or `secretKey` is empty. Calls also throw it if the body is a stream or a
 *   form
 *
 * @example
 * const auth = tc3({ secretId: env.BERTH_SECRET_ID, secretKey: env.BERTH_SECRET_KEY });
 * const gateway = createGatewayClient({ envId: 'dev', gatewayDomain: 'gateway.example.com', auth });
 */
export function tc3(options: Tc3Options): GatewayAuth {
  if (!options) throw new TypeError('tc3() needs { secretId, secretKey }.');
  const { service = SIGNATURE.service, token, ...pair } = options;
  const sign = createTc3Signer(pair, service);
  return {
    async authorize({ method, url, headers, body, now }) {
      const page = (globalThis as { location?: { href: string } }).location;
      const { host, pathname, search } = new URL(url, page?.href);
      const type = headers['content-type'];
      const seconds = Math.floor(now / 1000);
      const signature = await sign(seconds, {
        method,
        path: pathname,
        query: search.slice(1),
        headers: { ...(type !== undefined && { 'content-type': type }), host },
        body: await toSignedBody(body),
      });
      return `${signature}, Timestamp=${seconds}${token ? `, Token=${token}` : ''}`;
    },
  };
}

/** A key pair that may expire. */
interface ExpiringKeyPair extends Tc3KeyPair {
  /** When the pair expires: a `Date`, an ISO 8601 string, or milliseconds since the epoch. Default: never. */
  readonly expires?: Date | string | number | undefined;
}

/**
 * Options for {@link tc3Storage}.
 *
 * @example
 * const credentials = tc3Storage(pair, { signingHost: 'api.example.com' });
 */
interface Tc3StorageOptions {
  /** Service in the signature scope. Default: the contract's (D16). */
  readonly service?: string | undefined;
  /** Host in the constant text that is signed, not the one in the URL. Default: the contract's (D17). */
  readonly signingHost?: string | undefined;
}

/**
 * Signs storage calls with a key pair (D17), using WebCrypto. If you pass a function, its pair is cached
 * until a minute before it expires. The function is then called again, once for all waiting calls. If it
 * fails, every waiting call fails with that error as `cause`, and later calls try again.
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
    throw new TypeError('tc3Storage() needs { secretId, secretKey } or a function.');
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

/** Signs "a constant text, whatever the real URL and body"; the two slashes are part of it. */
function toConstantRequest(host: string): Tc3Request {
  const headers = { 'content-type': SIGNATURE.storageContentType, host };
  return { method: 'POST', path: `//${host}/`, query: '', headers, body: '' };
}

async function toSignedBody(body: SignableRequest['body']): Promise<string | Bytes> {
  const given = body ?? '';
  if (typeof given === 'string') return given;
  if (given instanceof FormData || isStream(given)) {
    throw new TypeError(
      'Cannot sign a stream or form: pass a string, bytes or a Blob as the body, or use bearer().',
    );
  }
  return new Uint8Array(await new Response(body).arrayBuffer());
}

/** The parts of a request that a signature covers (D16). */
interface Tc3Request {
  readonly method: string;
  /** As sent, without decoding. */
  readonly path: string;
  /** As sent, without the question mark; empty if there is none. */
  readonly query: string;
  /** The signed headers, by lowercase name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Bytes;
}

/**
 * Returns a header value as it is signed: trimmed and in lowercase, except that a content type is kept
 * as sent, without the boundary of `multipart/form-data` (D16).
 */
function toSignedValue(name: string, value: string): string {
  const text = value.trim();
  return name === 'content-type'
    ? text.replace(/^(multipart\/form-data)\s*;.*/i, '$1')
    : text.toLowerCase();
}

/**
 * Creates a function that signs a request at a time in seconds since the epoch: `TC3-HMAC-SHA256
 * Credential=…, SignedHeaders=…, Signature=…`. It caches the derived key for the day.
 *
 * @throws TypeError if `secretId` or `secretKey` is empty, or if WebCrypto is not available
 */
function createTc3Signer({ secretId, secretKey }: Tc3KeyPair, service: string) {
  if (!secretId || !secretKey) throw new TypeError('secretId and secretKey must not be empty.');
  // Web Cryptography API, section 10: `subtle` is only available in secure contexts.
  if (!globalThis.crypto?.subtle)
    throw new TypeError('Signing needs WebCrypto, which browsers provide only on https pages.');
  const { algorithm } = SIGNATURE;
  let day: string;
  let key: Promise<string | Bytes>;
  return async (seconds: number, { method, path, query, headers, body }: Tc3Request) => {
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
    const names = Object.keys(headers).sort();
    const signedHeaders = names.join(';');
    const lines = names.map((name) => `${name}:${toSignedValue(name, headers[name] as string)}\n`);
    const parts = [method, path, query, lines.join(''), signedHeaders, await sha256(body)];
    const toSign = [algorithm, seconds, place, await sha256(parts.join('\n'))].join('\n');
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
