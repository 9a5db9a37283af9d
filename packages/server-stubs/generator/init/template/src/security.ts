import { timingSafeEqual } from 'node:crypto';
import { GatewayError, type StorageCredentials } from '@berth/server-stubs';

/** The authenticated caller; every handler gets it as `call.caller`. */
export interface Caller {
  readonly id: string;
}

/**
 * Accepts the development token, `DEV_TOKEN` in `.env`. If it is not set, every token is refused. TODO:
 * check the access tokens of your platform. Throw `new GatewayError('ACCESS_TOKEN_EXPIRED')` for one that
 * has expired.
 */
export function bearerToken(token: string): Caller | undefined {
  return isDevToken(token) ? { id: 'developer' } : undefined;
}

/** TODO: verify TC3 signatures. Until then, every signature is refused. */
export function signature(): undefined {
  throw new GatewayError('INVALID_CREDENTIALS', { message: 'Signatures are not checked yet.' });
}

/** TODO: check the signature of the storage headers, its time and its environment. */
export function credentials({ authorization }: StorageCredentials): Caller | undefined {
  return isDevToken(authorization) ? { id: 'developer' } : undefined;
}

function isDevToken(given: string): boolean {
  const [expected, actual] = [Buffer.from(process.env.DEV_TOKEN ?? ''), Buffer.from(given)];
  return (
    expected.length > 0 && expected.length === actual.length && timingSafeEqual(expected, actual)
  );
}
