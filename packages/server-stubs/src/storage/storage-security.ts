import { StorageError } from '../errors.ts';
import type { WireProfile } from '../http/wire-profile.ts';
import type { Call, RouteTable, SecurityHandler } from '../runtime/index.ts';

const SEGMENT = '{envId}';

/**
 * The credentials of a storage call, which are sent in three headers (D17). They belong together, because the
 * signature covers the time.
 */
export interface StorageCredentials {
  /** The signature, `1.0 TC3-HMAC-SHA256 Credential=…, SignedHeaders=…, Signature=…`. */
  readonly authorization: string;
  /** Session token of temporary credentials; empty for permanent ones. */
  readonly sessionToken: string;
  /** Signing time in whole seconds since the epoch. */
  readonly timestamp: number;
}

/** A storage call that has not been authenticated yet. */
export interface StorageLogin extends Call {
  /** Environment in the path. Reject credentials for any other (D30). */
  readonly envId: string;
}

/** The storage API's security handler. */
export interface StorageSecurity<Caller = unknown> {
  /**
   * Returns the caller that the credentials belong to. Return `undefined`, `null` or `false` to reject
   * them, or throw a `StorageError` to give a reason, such as a wrong clock (D18).
   */
  credentials(
    credentials: StorageCredentials,
    call: StorageLogin,
  ): Caller | undefined | null | false | Promise<Caller | undefined | null | false>;
}

export function toStorageSecurity(
  security: StorageSecurity,
  { storageHeaders }: WireProfile,
  envIdOf: (rawPath: string) => string,
): SecurityHandler {
  const tokenName = storageHeaders.sessionToken.toLowerCase();
  const timeName = storageHeaders.timestamp.toLowerCase();
  return (authorization, call) => {
    const { headers } = call.request;
    const time = String(headers[timeName] ?? '');
    if (!/^\d{1,12}$/.test(time)) {
      const message = `The ${storageHeaders.timestamp} header must be a time in whole seconds since 1970.`;
      throw new StorageError('SIGN_PARAM_INVALID', { message });
    }
    const sessionToken = String(headers[tokenName] ?? '');
    const login = call as StorageLogin & { envId: string };
    login.envId = envIdOf(call.rawPath);
    return security.credentials({ authorization, sessionToken, timestamp: Number(time) }, login);
  };
}

/**
 * The environment is the same segment in every operation. Any segment may be percent-encoded, so characters
 * are not counted.
 */
export function envIdOf({ routes }: RouteTable): (rawPath: string) => string {
  const at = routes[0]?.path.split('/').indexOf(SEGMENT) ?? 0;
  return (rawPath) => {
    let start = 0;
    for (let count = 0; count < at; count += 1) start = rawPath.indexOf('/', start) + 1;
    const end = rawPath.indexOf('/', start);
    const envId = rawPath.slice(start, end < 0 ? undefined : end);
    return envId.includes('%') ? decodeURIComponent(envId) : envId;
  };
}
