import type { GatewayAuth, SignableRequest, StorageCredentials } from './auth.ts';
import { optionsError } from './errors.ts';
import { SIGNATURE } from './generated/contract.gen.ts';
import { isStream } from './streams.ts';

type Bytes = Uint8Array<ArrayBuffer>;

type SignedParts = Readonly<Record<'method' | 'path' | 'query', string>> & {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Bytes;
};

const HMAC = { name: 'HMAC', hash: 'SHA-256' };

/** A key pair, with a session token if it is temporary. */
export interface Tc3KeyPair {
  /** Identifies the key pair. Sent with every call. */
  readonly secretId: string;
  /** Signs the call. Never sent. */
  readonly secretKey: string;
  /** Session token of a temporary key pair. Default: none. */
  readonly token?: string | undefined;
}

/** Names in a signature that deployments may change. */
export interface Tc3Options {
  /** Service in the scope of the signature. Default: the contract's. */
  readonly service?: string | undefined;
  /** Host in the constant text that a storage call signs, not the host that is called. Default: the contract's. */
  readonly signingHost?: string | undefined;
}

/**
 * Signs each gateway call with a key pair (signature version 3), using WebCrypto. The signature covers the body, which
 * therefore cannot be a stream. Never put a key pair into a web page: anyone who opens the page can read it.
 *
 * @throws BerthError of the kind `options` if `secretId` or `secretKey` is empty
 *
 * @example
 * const auth = tc3({ secretId: env.BERTH_TC3_SECRET_ID, secretKey: env.BERTH_TC3_SECRET_KEY });
 * const gateway = createGatewayClient({ baseUrl: 'https://dev.gateway.example.com', auth });
 */
export function tc3(
  pair: Tc3KeyPair,
  { service = SIGNATURE.service }: Tc3Options = {},
): GatewayAuth {
  const sign = createSigner(pair, service);
  const suffix = pair.token ? `, Token=${pair.token}` : '';
  return {
    async authorize({ method, url, headers, body, now }) {
      const { host, pathname, search } = new URL(url);
      const type = headers['content-type'];
      const seconds = Math.floor(now / 1000);
      const signature = await sign(seconds, {
        method,
        path: pathname,
        query: search.slice(1),
        headers: type === undefined ? { host } : { 'content-type': type, host },
        body: await toSignedBody(body),
      });
      return `${signature}, Timestamp=${seconds}${suffix}`;
    },
  };
}

/**
 * Signs storage calls with a key pair, using WebCrypto.
 *
 * @throws BerthError of the kind `options` if `secretId` or `secretKey` is empty
 *
 * @example
 * const credentials = tc3Storage({ secretId: env.BERTH_TC3_SECRET_ID, secretKey: env.BERTH_TC3_SECRET_KEY });
 * const storage = createStorageClient({ baseUrl: 'https://storage.example.com', envId: 'dev', credentials });
 */
export function tc3Storage(
  pair: Tc3KeyPair,
  { service = SIGNATURE.service, signingHost = SIGNATURE.storageSigningHost }: Tc3Options = {},
): (now?: number) => Promise<StorageCredentials> {
  const sign = createSigner(pair, service);
  const { token: sessionToken } = pair;
  // The text is the same for every call (D17). Its two slashes are part of it.
  const headers = { 'content-type': SIGNATURE.storageContentType, host: signingHost };
  const text = { method: 'POST', path: `//${signingHost}/`, query: '', headers, body: '' };
  return async (now = Date.now()) => {
    const timestamp = Math.floor(now / 1000);
    const signature = await sign(timestamp, text);
    return { authorization: `${SIGNATURE.storageVersion} ${signature}`, sessionToken, timestamp };
  };
}

async function toSignedBody(body: SignableRequest['body']): Promise<string | Bytes> {
  if (typeof body === 'string' || !body) return body ?? '';
  if (isStream(body)) {
    throw optionsError('A stream cannot be signed: pass bytes or a Blob, or use bearer().');
  }
  return new Uint8Array(await new Response(body).arrayBuffer());
}

/** A header is signed trimmed and in lowercase; a media type unchanged, but without a boundary (D16). */
function toSignedValue(name: string, value: string): string {
  const text = value.trim();
  if (name !== 'content-type') return text.toLowerCase();
  return text.replace(/^(multipart\/form-data)\s*;.*/i, '$1');
}

/** Creates a function that signs a request at a time in seconds since the epoch. */
function createSigner({ secretId, secretKey }: Tc3KeyPair, service: string) {
  if (!secretId || !secretKey) throw optionsError('secretId and secretKey must not be empty.');
  // Browsers expose it only in secure contexts (Web Cryptography API, section 10).
  if (!globalThis.crypto?.subtle) {
    const reason = 'which browsers provide only in secure contexts (HTTPS or localhost)';
    throw optionsError(`Signing needs WebCrypto, ${reason}.`);
  }
  const { algorithm } = SIGNATURE;
  return async (seconds: number, { method, path, query, headers, body }: SignedParts) => {
    const date = new Date(seconds * 1000).toISOString().slice(0, 10);
    const scope = [date, service, 'tc3_request'];
    let key: string | Bytes = `TC3${secretKey}`;
    for (const part of scope) key = await hmac(key, part);
    const credentialScope = scope.join('/');
    const names = Object.keys(headers).sort();
    const signedHeaders = names.join(';');
    const lines = names.map((name) => `${name}:${toSignedValue(name, headers[name] as string)}\n`);
    const parts = [method, path, query, lines.join(''), signedHeaders, await sha256(body)];
    const toSign = [algorithm, seconds, credentialScope, await sha256(parts.join('\n'))].join('\n');
    const signature = toHex(await hmac(key, toSign));
    const credential = `${secretId}/${credentialScope}`;
    return `${algorithm} Credential=${credential}, SignedHeaders=${signedHeaders}, Signature=${signature}`;
  };
}

async function sha256(content: string | Bytes): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest(HMAC.hash, encode(content))));
}

async function hmac(key: string | Bytes, text: string): Promise<Bytes> {
  const { subtle } = crypto;
  const usable = await subtle.importKey('raw', encode(key), HMAC, false, ['sign']);
  return new Uint8Array(await subtle.sign(HMAC.name, usable, encode(text)));
}

function toHex(bytes: Bytes): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function encode(content: string | Bytes): Bytes {
  return typeof content === 'string' ? new TextEncoder().encode(content) : content;
}
