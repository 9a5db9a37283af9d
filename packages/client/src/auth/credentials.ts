import { singleFlight } from '#single-flight';
import type { Signer } from '../internal/pipeline/pipeline-call.ts';
import type { StorageNames } from '../wire-profile.ts';

/** What a signer sees of one try of a call. */
export interface SignableRequest {
  /** In capitals: `GET`, `POST`. */
  readonly method: string;
  /**
   * The address that the try goes to, path and query exactly as they are sent. It has no host where
   * `baseUrl` has none: it is relative to the page then, as in `fetch`.
   */
  readonly url: string;
  /**
   * Headers of the try by their names in small letters, as HTTP/2 writes them. A signer may add to
   * them; `authorization` is set from what it returns.
   */
  readonly headers: Record<Lowercase<string>, string>;
  /** What is given to `fetch`. A signer must not read a stream: it could not be sent any more. */
  readonly body: RequestInit['body'];
  /** Milliseconds since the epoch, corrected by the `Date` header of the server's last refusal. */
  readonly now: number;
}

/**
 * Puts credentials on calls of the gateway. What a method throws, or rejects with, ends each call that
 * waits for it, as it is; the next call asks again.
 *
 * @example
 * ```ts
 * const auth: GatewayAuth = { authorize: () => `Bearer ${readToken()}` };
 * ```
 */
export interface GatewayAuth {
  /** Gives the value of `Authorization` for this try, or `undefined` to send none. Called once for every try. */
  authorize(request: SignableRequest): string | undefined | Promise<string | undefined>;
  /**
   * Called after the gateway has refused a call with status 401, and after a WebSocket has not opened
   * on a platform that does not show why. Gives `true` where the next try has something new to send.
   * The client runs one refresh at a time, however many calls wait for it.
   *
   * @param refused value of `Authorization` that was sent; where another one is known by now, that is new
   */
  refresh?(refused?: string): Promise<boolean>;
}

/**
 * The three header values of a storage call (D17). How they are made is between you and the
 * deployment; the client sends them as they are.
 *
 * @example
 * const credentials = async () => (await fetch('/my-backend/storage-credentials')).json();
 */
export interface StorageCredentials {
  /** Authorization credential, for example `1.0 TC3-HMAC-SHA256 Credential=…`. */
  readonly authorization: string;
  /** Session token of temporary credentials. Default: empty, which permanent ones need. */
  readonly sessionToken?: string | undefined;
  /** Time of the signature in whole seconds since the epoch. */
  readonly timestamp: number | string;
}

/**
 * Credentials, or a function that gives them for each try of a call. It is told the time in
 * milliseconds since the epoch, corrected by the server's `Date`; `tc3Storage` makes one.
 */
export type StorageCredentialsSource =
  | StorageCredentials
  | ((now: number) => StorageCredentials | Promise<StorageCredentials>);

/** Signs calls with what a {@link GatewayAuth} gives, where a call has no `Authorization` of its own. */
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
          throw new TypeError(`The credentials have no ${field}.`);
        }
        headers[name.toLowerCase()] = toHeaderValue(name, value);
      }
      return headers;
    },
  };
}

/**
 * The value of a header that holds a credential, without the spaces around it. The error of the
 * platform would quote the value; this one does not.
 *
 * @throws TypeError where the value holds characters that no header may carry (RFC 9110, section 5.5)
 */
function toHeaderValue(name: string, value: string): string {
  const text = value.trim();
  if (!/[^\t -~\x80-\xff]/.test(text)) return text;
  throw new TypeError(`${name} has characters that no header may have.`);
}

/**
 * Makes a function that asks the user's once however many callers wait, and again for those after
 * them, also if it failed.
 *
 * @param what what is asked for, as in `the token`; it stands in the error of a failed function
 */
export function askOnce<Answer>(
  ask: () => Answer | Promise<Answer>,
  what: string,
): () => Promise<Answer> {
  return singleFlight<void, Answer>(async () => {
    try {
      return await ask();
    } catch (cause) {
      throw new Error(`The function that gives ${what} failed: ${cause}`, { cause });
    }
  });
}
