import { singleFlight } from '#single-flight';
import type { Signer } from '../internal/pipeline/pipeline-call.ts';
import type { StorageNames } from '../wire-profile.ts';

/** What a signer sees of one attempt. */
export interface SignableRequest {
  /** In upper case: `GET`, `POST`. */
  readonly method: string;
  /**
   * URL of the attempt, path and query exactly as sent. If `baseUrl` has no host, it has none either: it
   * is relative to the page then, as in `fetch`.
   */
  readonly url: string;
  /**
   * Headers of the attempt by their names in lower case, as in HTTP/2. A signer may add headers;
   * `authorization` is set to what it returns.
   */
  readonly headers: Record<Lowercase<string>, string>;
  /** The body passed to `fetch`. A signer must not read a stream: it could not be sent afterwards. */
  readonly body: RequestInit['body'];
  /** Milliseconds since the epoch, corrected by the `Date` header of the server's last refusal. */
  readonly now: number;
}

/**
 * Adds credentials to calls of the gateway. If a method throws or rejects, every call that waits for it
 * fails with that error, unchanged; the next call tries again.
 *
 *
 * @example
 * ```ts
 * const auth: GatewayAuth = { authorize: () => `Bearer ${readToken()}` };
 * ```
 */
export interface GatewayAuth {
  /** Returns the `Authorization` header of this attempt, or `undefined` to send none. Called for each attempt. */
  authorize(request: SignableRequest): string | undefined | Promise<string | undefined>;
  /**
   * Called after the gateway has refused a call with status 401, and after a WebSocket has not opened
   * on a platform that does not show why. Returns `true` if the next attempt has new credentials to
   * send. The client runs one refresh at a time for all waiting calls.
   *
   * @param refused the `Authorization` header that was refused; if the current one differs, it counts as new
   */
  refresh?(refused?: string): Promise<boolean>;
}

/**
 * The three header values of a storage call (D17). How they are created is between you and the
 * deployment; the client sends them unchanged.
 *
 *
 * @example
 * const credentials = async () => (await fetch('/my-backend/storage-credentials')).json();
 */
export interface StorageCredentials {
  /** Authorization credential, for example `1.0 TC3-HMAC-SHA256 Credential=…`. */
  readonly authorization: string;
  /** Session token of temporary credentials. Default: empty, as for permanent ones. */
  readonly sessionToken?: string | undefined;
  /** Time of the signature in whole seconds since the epoch. */
  readonly timestamp: number | string;
}

/**
 * Credentials, or a function that returns them for each attempt. It receives the time in milliseconds
 * since the epoch, corrected by the server's `Date`. `tc3Storage` creates such a function.
 */
export type StorageCredentialsSource =
  | StorageCredentials
  | ((now: number) => StorageCredentials | Promise<StorageCredentials>);

/** Adds what a {@link GatewayAuth} returns to calls without an `Authorization` of their own. */
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

/** "Clients always send all three headers", the session token perhaps empty (D17). */
export function toStorageSigner(
  credentials: StorageCredentialsSource,
  { storageHeaders }: StorageNames,
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
 * A trimmed credential, for a header. The platform's error for a bad value would quote it; this one
 * does not.
 *
 * @throws TypeError if a header cannot carry the value (RFC 9110, section 5.5)
 */
function toHeaderValue(name: string, value: string): string {
  const text = value.trim();
  if (!/[^\t -~\x80-\xff]/.test(text)) return text;
  throw new TypeError(`${name} is not a valid header value.`);
}

/**
 * Wraps a function of the user so that concurrent callers share one call. Later callers call it again,
 * even if it failed.
 *
 * @param what what the function returns, for the error message: `the token`
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
