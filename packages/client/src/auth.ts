import type { WireProfile } from '@berth/spec/wire-profile';
import { checkNotEmpty, checkText, invalid } from './checks.ts';
import { isBerthError, optionsError } from './errors.ts';

/** One attempt of a call, to be signed. */
export interface SignableRequest {
  /** HTTP method, in uppercase. */
  readonly method: string;
  /** Absolute URL, with path and query exactly as sent. */
  readonly url: string;
  /** Headers by lowercase name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body. Do not read a stream: it could not be sent afterwards. */
  readonly body: RequestInit['body'];
  /** Milliseconds since the epoch, according to the server's clock, once known. */
  readonly now: number;
}

/** Adds credentials to gateway calls: what {@link bearer} and {@link tc3} return, or your own. */
export interface GatewayAuth {
  /** Returns the `Authorization` header of an attempt, or `undefined` for none. Called for every attempt. */
  authorize(request: SignableRequest): string | undefined | Promise<string | undefined>;
  /**
   * Called once for all calls that the gateway rejected with 401. Returns whether there are new credentials.
   *
   * @param rejected the `Authorization` header that was rejected
   */
  refresh?(rejected: string | undefined): Promise<boolean>;
}

/** The three header values of a storage call, which are sent unchanged. */
export interface StorageCredentials {
  /** Authorization header, such as `1.0 TC3-HMAC-SHA256 Credential=…`. */
  readonly authorization: string;
  /** Session token of temporary credentials. Default: empty. */
  readonly sessionToken?: string | undefined;
  /** Signing time in integer seconds since the epoch. */
  readonly timestamp: number | string;
}

/** Storage credentials, or a function that returns them at a time in milliseconds since the epoch. */
export type StorageCredentialsSource =
  | StorageCredentials
  | ((now: number) => StorageCredentials | Promise<StorageCredentials>);

/** The credentials of a client, which all its calls share. */
export type Session = ReturnType<typeof createSession>;

interface Signed {
  readonly headers: Readonly<Record<string, string>>;
  /** Number of renewals before this; `undefined` if the call has its own credentials, which are not renewed. */
  readonly renewals: number | undefined;
}

/** Smaller differences are network delay, not clock skew. In milliseconds. */
const CLOCK_TOLERANCE = 30_000;

/**
 * Signs attempts, and after a 401 renews the credentials once for all concurrent calls. `Date` headers show the
 * server's clock (RFC 9110, section 6.6.1).
 *
 * @param sign returns the headers to add, or `undefined` if the call keeps those it has
 * @param refresh returns whether there are new credentials, after those in the headers were rejected; runs once for all
 */
function createSession(
  sign: (request: SignableRequest) => Promise<Record<string, string> | undefined>,
  refresh?: (rejected: Signed['headers']) => Promise<boolean | undefined>,
) {
  let skew = 0;
  let renewals = 0;
  const now = () => Date.now() + skew;
  return {
    async sign(request: Omit<SignableRequest, 'now'>): Promise<Signed> {
      const renewalsBefore = renewals;
      const signed = await sign({ ...request, now: now() }).catch(rejectCredentials);
      return { headers: { ...request.headers, ...signed }, renewals: signed && renewalsBefore };
    },
    async renew(rejected: Signed | undefined, response: Headers): Promise<boolean> {
      if (rejected?.renewals === undefined) return false;
      if (rejected.renewals !== renewals) return true;
      const difference = Date.parse(response.get('Date') ?? '') - now();
      const isSkewed = Math.abs(difference) > CLOCK_TOLERANCE;
      if (isSkewed) skew += difference;
      const isNew = await refresh?.(rejected.headers).catch(rejectCredentials);
      // Only now, because calls that see another number do not wait for the refresh.
      if ((isNew || isSkewed) && rejected.renewals === renewals) renewals += 1;
      return rejected.renewals !== renewals;
    },
  };
}

function rejectCredentials(cause: unknown): never {
  if (isBerthError(cause, 'options')) throw cause;
  throw optionsError('The credentials could not be obtained', cause);
}

export function createGatewaySession(auth: GatewayAuth): Session {
  if (typeof auth.authorize !== 'function') {
    throw invalid('auth', 'bearer(…), tc3(…), or an object with authorize()', auth);
  }
  return createSession(
    async (request) => {
      if (request.headers.authorization !== undefined) return undefined;
      const value = await auth.authorize(request);
      if (value === undefined) return undefined;
      return { authorization: toHeaderValue('Authorization', value) };
    },
    shared(async ({ authorization }) => auth.refresh?.(authorization)),
  );
}

/** Sends the three headers with every storage call, even if the session token is empty. */
export function createStorageSession(
  source: StorageCredentialsSource,
  { storageHeaders }: WireProfile,
): Session {
  if (!source || (typeof source !== 'object' && typeof source !== 'function')) {
    throw invalid('credentials', 'an object or a function', source);
  }
  return createSession(async ({ now }) => {
    const values = typeof source === 'function' ? await source(now) : source;
    const signed: Record<string, string> = {};
    for (const [field, name] of Object.entries(storageHeaders)) {
      const value = String(values?.[field as keyof StorageCredentials] ?? '');
      if (field !== 'sessionToken') checkNotEmpty(`credentials.${field}`, value);
      signed[name.toLowerCase()] = toHeaderValue(name, value);
    }
    return signed;
  });
}

/** Returns a credential for a header (RFC 9110, section 5.5). The platform's own error would quote it. */
function toHeaderValue(name: string, value: string): string {
  checkText(name, value);
  const text = value.trim();
  if (!/[^\t -~\x80-\xff]/.test(text)) return text;
  throw optionsError(`${name} has invalid characters.`);
}

/** How long calls wait for the same credentials, in milliseconds. The next call then requests them again. */
const SHARE_TIMEOUT = 30_000;

/** Runs a function once for all calls that wait for its result. */
function shared<Args extends unknown[], T>(run: (...args: Args) => Promise<T>): typeof run {
  let latest: Promise<T> | undefined;
  let start = 0;
  return (...args) => {
    const now = performance.now();
    if (latest && now - start < SHARE_TIMEOUT) return latest;
    start = now;
    latest = run(...args).finally(() => {
      // Unless a later call already waits for another run.
      if (start === now) latest = undefined;
    });
    return latest;
  };
}

/**
 * Sends an access token as `Authorization: Bearer …` (RFC 6750, section 2.1). A function's token is kept until the
 * gateway rejects it. The function is then called once for all calls that wait; if it fails, they fail with its error
 * as `cause`, and the next call tries again.
 *
 * @param token the token, without `Bearer`, or a function that returns one
 * @throws BerthError of the kind `options` if the token is empty or starts with `Bearer`
 *
 * @example
 * const auth = bearer(async () => (await fetch('/my-backend/token')).text());
 * const gateway = createGatewayClient({ baseUrl: 'https://dev.gateway.example.com', auth });
 */
export function bearer(token: string | (() => string | Promise<string>)): GatewayAuth {
  if (typeof token !== 'function') {
    const header = toBearer(token);
    return { authorize: () => header };
  }
  let current: string | undefined;
  const load = shared(async () => {
    const header = toBearer(await token());
    // A stale token must not replace a newer one.
    current ??= header;
    return header;
  });
  const authorize = () => current ?? load();
  return {
    authorize,
    async refresh(rejected) {
      if (current === rejected) current = undefined;
      return (await authorize()) !== rejected;
    },
  };
}

function toBearer(token: string): string {
  checkText('token', token);
  const text = token.trim();
  checkNotEmpty('token', text);
  if (/^\s*bearer\s/i.test(token)) throw optionsError('The token must not include "Bearer".');
  return `Bearer ${text}`;
}
