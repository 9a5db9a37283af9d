import { timingSafeEqual } from 'node:crypto';
import { GatewayError, type StorageCredentials } from '@berth/server-stubs';

/** The authenticated caller, which every handler gets as `call.caller`. */
export interface Caller {
  readonly id: string;
}

/**
 * Accepts the development token, `DEV_TOKEN` in `.env`. If it is not set, every token is rejected.
 * TODO: verify the access tokens of your platform. Throw `new GatewayError('ACCESS_TOKEN_EXPIRED')` for
 * a token that has expired.
 */
export function bearerToken(token: string): Caller | undefined {
  return isDevToken(token) ? { id: 'developer' } : undefined;
}

/** TODO: verify TC3 signatures. Until then, every signature is rejected. */
export function signature(): undefined {
  throw new GatewayError('INVALID_CREDENTIALS', { message: 'Signatures are not supported yet.' });
}

/** TODO: verify the signature of the storage headers, including its time and environment. */
export function credentials({ authorization }: StorageCredentials): Caller | undefined {
  return isDevToken(authorization) ? { id: 'developer' } : undefined;
}

function isDevToken(given: string): boolean {
  const [expected, actual] = [Buffer.from(process.env.DEV_TOKEN ?? ''), Buffer.from(given)];
  return (
    expected.length > 0 && expected.length === actual.length && timingSafeEqual(expected, actual)
  );
}
