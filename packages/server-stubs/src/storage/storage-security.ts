import { StorageError } from '../errors.ts';
import type { WireProfile } from '../http/wire-profile.ts';
import type { Call, RouteTable, SecurityHandler } from '../runtime/index.ts';

const SEGMENT = '{envId}';

/** The three headers of a storage call (D17), read together: the signature covers the time. */
export interface StorageCredentials {
  /** `1.0 TC3-HMAC-SHA256 Credential=…, SignedHeaders=…, Signature=…` */
  readonly authorization: string;
  /** Token of temporary credentials; empty with permanent ones. */
  readonly sessionToken: string;
  /** Whole seconds since the epoch. */
  readonly timestamp: number;
}

/** A storage call whose caller is not known yet. */
export interface StorageLogin extends Call {
  /** Environment of the path; credentials of another one are to be refused (D30). */
  readonly envId: string;
}

/** The one security handler of the storage API. */
export interface StorageSecurity<Caller = unknown> {
  /**
   * Tells who a caller is. `undefined`, `null` or `false` refuse; throw a `StorageError` to say why,
   * such as a clock that is off (D18).
   */
  credentials(
    credentials: StorageCredentials,
    call: StorageLogin,
  ): Caller | undefined | null | false | Promise<Caller | undefined | null | false>;
}

/** The security handler of the runtime, which hands over one header, as one for all three. */
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
      const message = `The header ${storageHeaders.timestamp} must be a time in whole seconds since 1970.`;
      throw new StorageError('SIGN_PARAM_INVALID', { message });
    }
    const sessionToken = String(headers[tokenName] ?? '');
    const login = call as StorageLogin & { envId: string };
    login.envId = envIdOf(call.rawPath);
    return security.credentials({ authorization, sessionToken, timestamp: Number(time) }, login);
  };
}

/**
 * Makes a reader of the environment in a raw path; every operation has it in the same place. Segments
 * are counted and not characters, for any of them may come percent-encoded.
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
