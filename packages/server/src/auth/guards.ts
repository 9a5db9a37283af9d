import {
  GatewayError,
  type GatewaySecurity,
  StorageError,
  type StorageSecurity,
  UploadError,
} from '@berth/server-stubs';
import type { Caller } from '@berth/server-stubs/auth';
import type { SignedUse } from '@berth/storage';
import type { Config } from '../config/config.ts';
import type { Quotas } from '../quotas.ts';
import type { RedisState } from '../redis.ts';
import type { Authenticator } from './authenticator.ts';

/** Authenticates callers of the gateway, and rejects key pairs that were revoked. Tokens are not revoked in Redis. */
export function guardGateway(
  { gateway: { bearerToken, signature } }: Authenticator,
  redis: RedisState | undefined,
): GatewaySecurity<Caller> {
  if (redis === undefined) return { bearerToken, signature };
  return {
    bearerToken,
    async signature(value, call) {
      const caller = await signature(value, call);
      if (!caller || !(await isRevoked(caller, redis).catch(failGateway))) return caller;
      const error = new GatewayError('INVALID_CREDENTIALS', { message: REVOKED });
      const { verifyBody } = caller;
      if (verifyBody === undefined) throw error;
      // Only callers that know the secret learn that the key pair exists.
      const refuseBody = (hash: string) => {
        verifyBody(hash);
        throw error;
      };
      return { ...caller, verifyBody: refuseBody };
    },
  };
}

/** Authenticates callers of the storage API, rejects key pairs that were revoked, and counts the call. */
export function guardStorage(
  { storage }: Authenticator,
  redis: RedisState | undefined,
  quotas: Quotas,
): StorageSecurity<Caller> {
  return {
    async credentials(credentials, call) {
      const caller = await storage.credentials(credentials, call);
      if (!caller) return caller;
      if (redis !== undefined && (await isRevoked(caller, redis).catch(failStorage))) {
        throw new StorageError('SIGN_PARAM_INVALID', { message: REVOKED });
      }
      const retryAfter = await quotas.count(call.envId);
      if (retryAfter !== undefined) throw new StorageError('EXCEED_RATELIMIT', { retryAfter });
      return caller;
    },
  };
}

interface UseContext {
  readonly environments: Config['environments'];
  readonly redis: RedisState | undefined;
}

/** Rejects grants and links that were revoked, or whose key pair was revoked or removed. */
export async function authorizeUse(
  { kind, id, env, caller }: SignedUse,
  { environments, redis }: UseContext,
): Promise<void> {
  const pairs = environments[env]?.credentials ?? [];
  const isKnown = pairs.some((pair) => pair.id === caller);
  if (!isKnown || (await redis?.isRevoked(['key-pair', `${env}/${caller}`], [kind, id]))) {
    throw new UploadError('AccessDenied', { message: `The ${kind} has been revoked.` });
  }
}

const REVOKED = 'The key pair has been revoked.';

const isRevoked = ({ env, id }: Caller, redis: RedisState): Promise<boolean> =>
  redis.isRevoked(['key-pair', `${env}/${id}`]);

/** Refuses every call while it is unknown which credentials are revoked. */
function failGateway(cause: Error): never {
  const message = 'Revocations cannot be checked at the moment.';
  throw new GatewayError('SYS_ERR', { status: 503, retryAfter: 1, message, cause });
}

function failStorage(cause: Error): never {
  throw new StorageError('SERVICE_UNAVAILABLE', { cause });
}
