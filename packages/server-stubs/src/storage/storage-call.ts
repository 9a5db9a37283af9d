import type { WireProfile } from '@berth/spec/wire-profile';
import { StorageError } from '../errors.ts';
import type { HandlerResponse } from '../runtime/index.ts';

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

/**
 * Reads the three headers.
 *
 * @param headers request headers, by lowercase name
 * @throws StorageError SIGN_PARAM_INVALID if one is missing or malformed
 */
export function readCredentials(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  { storageHeaders }: Pick<WireProfile, 'storageHeaders'>,
): StorageCredentials {
  const authorization = headers[storageHeaders.authorization.toLowerCase()];
  if (authorization === undefined) throw missingCredentials(storageHeaders.authorization);
  const time = String(headers[storageHeaders.timestamp.toLowerCase()] ?? '');
  if (!/^\d{1,12}$/.test(time)) {
    const message = `The ${storageHeaders.timestamp} header must be a time in whole seconds since 1970.`;
    throw new StorageError('SIGN_PARAM_INVALID', { message });
  }
  const sessionToken = String(headers[storageHeaders.sessionToken.toLowerCase()] ?? '');
  return { authorization: String(authorization), sessionToken, timestamp: Number(time) };
}

export function missingCredentials(header: string): StorageError {
  return new StorageError('SIGN_PARAM_INVALID', { message: `The ${header} header is missing.` });
}

/** Rejects a call with more than the maximum number of items (D25). */
export function assertBatch(input: unknown, maxItems: number): void {
  const { fileList } = input as { fileList?: unknown };
  if (!Array.isArray(fileList) || fileList.length <= maxItems) return;
  throw new StorageError('INVALID_PARAM', {
    message: `fileList has ${fileList.length} items: send at most ${maxItems} per call.`,
  });
}

/** D20: every response is wrapped in this envelope. */
export function toStorageResponse(data: unknown, requestId: string): HandlerResponse {
  return { status: 200, body: { statusCode: 200, body: { requestId, data } } };
}
