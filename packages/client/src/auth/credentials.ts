import type { WireProfile } from '@berth/spec/wire-profile';
import { type Signer, singleFlight } from '../internal/pipeline.ts';

/** A request that needs to be signed. Each attempt of a call has its own. */
export interface SignableRequest {
  /** Uppercase: `GET`, `POST`. */
  readonly method: string;
  /**
   * URL of the attempt, with path and query exactly as sent. If `baseUrl` has no host, the URL has none
   * either and is relative to the page, as in `fetch`.
   */
  readonly url: string;
  /**
   * Headers of the attempt, with lowercase names as in HTTP/2. A signer may add headers; `authorization`
   * is then set to its return value.
   */
  readonly headers: Record<Lowercase<string>, string>;
  /** The body passed to `fetch`. A signer must not read a stream, because it could not be sent afterwards. */
  readonly body: RequestInit['body'];
  /** Milliseconds since the epoch, adjusted to the `Date` header of the last rejected response. */
  readonly now: number;
}

/**
 * Adds credentials to gateway calls. If a method throws or rejects, every waiting call fails with that
 * same error, and the next call tries again.
 *
 *
 * @example
 * ```ts
 * const auth: GatewayAuth = { authorize: () => `Bearer ${readToken()}` };
 * ```
 */
export interface GatewayAuth {
  /**
   * Returns the `Authorization` header of an attempt, or `undefined` to send none. Called for every
   * attempt.
   */
  authorize(request: SignableRequest): string | undefined | Promise<string | undefined>;
  /**
   * Called after the gateway has rejected a call with 401, and after a WebSocket failed to open on a
   * platform that does not expose the status. Return `true` if the next attempt can send new
   * credentials. The client runs one refresh at a time for all waiting calls.
   *
   * @param rejected the `Authorization` header that was rejected; if it differs from the current one, the
   *   credentials count as new
   */
  refresh?(rejected?: string): Promise<boolean>;
}

/**
 * The three header values of a storage call (D17). Create them as your deployment requires: the client sends
 * them unchanged.
 *
 *
 * @example
 * const credentials = async () => (await fetch('/my-backend/storage-credentials')).json();
 */
export interface StorageCredentials {
  /** Value of the authorization header, such as `1.0 TC3-HMAC-SHA256 Credential=…`. */
  readonly authorization: string;
  /** Session token of temporary credentials. Default: empty, as for permanent ones. */
  readonly sessionToken?: string | undefined;
  /** Signing time in whole seconds since the epoch. */
  readonly timestamp: number | string;
}

/**
 * Credentials, or a function that returns them for each attempt. The function receives the time in
 * milliseconds since the epoch, adjusted to the server's clock. `tc3Storage` creates such a function.
 */
export type StorageCredentialsSource =
  | StorageCredentials
  | ((now: number) => StorageCredentials | Promise<StorageCredentials>);

/**
 * Creates a signer that adds credentials from a {@link GatewayAuth} to calls that have no `Authorization`
 * header of their own.
 */
export function toSigner(auth: GatewayAuth): Signer {
  return {
    async sign({ method, url, body }, own, now) {
      if (own.authorization !== undefined) return own;
      const headers: Record<string, string> = { ...own };
      const value = await auth.authorize({ method, url, headers, body, now });
      if (value !== undefined) headers.authorization = toHeaderValue('Authorization', value);
      return headers;
    },
    refresh: async (refused) => (await auth.refresh?.(refused.authorization)) ?? false,
  };
}

/**
 * Creates a signer that always sends all three credential headers, even if the session token is empty (D17).
 */
export function toStorageSigner(
  credentials: StorageCredentialsSource,
  { storageHeaders }: WireProfile,
): Signer {
  const names = Object.entries(storageHeaders);
  return {
    async sign(_, own, now) {
      const values = typeof credentials === 'function' ? await credentials(now) : credentials;
      const headers: Record<string, string> = { ...own };
      for (const [field, name] of names) {
        const value = String(values?.[field as keyof typeof storageHeaders] ?? '');
        if (!value && field !== 'sessionToken') {
          throw new TypeError(`credentials.${field} is missing.`);
        }
        headers[name.toLowerCase()] = toHeaderValue(name, value);
      }
      return headers;
    },
  };
}

/**
 * Returns a credential, trimmed, for use in a header. The platform's error for an invalid value would
 * quote it; this one does not.
 *
 * @throws TypeError if the value is not allowed in a header (RFC 9110, section 5.5)
 */
function toHeaderValue(name: string, value: string): string {
  const text = value.trim();
  if (!/[^\t -~\x80-\xff]/.test(text)) return text;
  throw new TypeError(`${name} has invalid characters.`);
}

/**
 * Wraps a function that the user passed, so that concurrent callers share one call to it. A later caller
 * calls the function again, even after a failure.
 *
 * @param what name of the returned value in error messages, such as `the token`
 */
export function askOnce<Value>(
  ask: () => Value | Promise<Value>,
  what: string,
): () => Promise<Value> {
  return singleFlight<void, Value>(async () => {
    try {
      return await ask();
    } catch (cause) {
      throw new Error(`Getting ${what} failed: ${cause}`, { cause });
    }
  });
}

/**
 * Returns an access token. Called if there is no token yet, and when the current one expires or is
 * rejected.
 */
type TokenProvider = () => string | Promise<string>;

/** How long before its expiry a token is replaced, in milliseconds. Longer than a request takes. */
const MARGIN = 30_000;

/**
 * Sends an access token as `Authorization: Bearer …` (RFC 6750, section 2.1). If you pass a function,
 * its token is cached until the gateway rejects it with 401, or, for a JWT with an `exp` claim, until 30
 * s before it expires (RFC 7519, section 4.1.4). The function is then called again, once for all waiting
 * calls. If it fails, every waiting call fails with that error as `cause`, and later calls try again.
 *
 * @param token access token of the environment without the `Bearer` prefix, or a function that returns
 *   one
 * @throws TypeError if the token is empty or starts with `Bearer`
 *
 * @example
 * const auth = bearer(async () => (await fetch('/my-backend/token')).text());
 * const gateway = createGatewayClient({ envId: 'dev', gatewayDomain: 'gateway.example.com', auth });
 */
export function bearer(token: string | TokenProvider): GatewayAuth {
  if (typeof token !== 'function') {
    const value = toValue(token);
    return { authorize: () => value };
  }
  const ask = askOnce(token, 'the token');
  let known: string | undefined;
  let end = 0;
  const load = async () => {
    known = undefined;
    const value = toValue(await ask());
    known = value;
    end = expiryOf(value);
    return value;
  };
  return {
    authorize: ({ now }) => (known !== undefined && now < end ? known : load()),
    async refresh(refused = known) {
      const isStale = known === undefined || known === refused;
      return (isStale ? await load() : known) !== refused;
    },
  };
}

function toValue(token: string): string {
  if (typeof token !== 'string' || token.trim() === '') throw new TypeError('token is empty.');
  if (/^\s*bearer\s/i.test(token)) {
    throw new TypeError('token must not include "Bearer".');
  }
  return `Bearer ${token}`;
}

/** Returns when to replace a token, in milliseconds since the epoch. */
function expiryOf(token: string): number {
  try {
    const payload = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    const { exp } = JSON.parse(atob(payload));
    if (typeof exp === 'number') return exp * 1000 - MARGIN;
  } catch {
    // Not a JWT: only the gateway knows when it expires.
  }
  return Number.POSITIVE_INFINITY;
}
