/** What the storage API adds to its document. Works in browsers, where MSW handles calls. */
import { defaultWireProfile, type WireProfile } from '@berth/spec/wire-profile';
import { StorageError } from '../errors.ts';
import type { HandlerResponse } from '../runtime/portable/call.ts';

/** The credentials of a storage call, which are sent in three headers. */
export interface StorageCredentials {
  /** The signature, `1.0 TC3-HMAC-SHA256 Credential=…, SignedHeaders=…, Signature=…`. */
  readonly authorization: string;
  /** Session token of temporary credentials; empty for permanent ones. */
  readonly sessionToken: string;
  /** Signing time in seconds since the epoch, an integer. */
  readonly timestamp: number;
}

/** @throws StorageError SIGN_PARAM_INVALID if the signature or its time is missing, or the time is not an integer */
export function readCredentials(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  { storageHeaders: names }: Pick<WireProfile, 'storageHeaders'>,
): StorageCredentials {
  const read = (name: string) => headers[name.toLowerCase()]?.toString();
  const invalid = (message: string) => new StorageError('SIGN_PARAM_INVALID', { message });
  const authorization = read(names.authorization);
  if (authorization === undefined) throw invalid(`The ${names.authorization} header is missing.`);
  const time = read(names.timestamp) ?? '';
  if (!/^\d{1,12}$/.test(time)) {
    throw invalid(
      `The ${names.timestamp} header must be the number of seconds since 1970, an integer.`,
    );
  }
  const sessionToken = read(names.sessionToken) ?? '';
  return { authorization, sessionToken, timestamp: Number(time) };
}

/** Rejects a call with more than the maximum number of items (D25). */
export function assertBatch(input: unknown, maxItems: number): void {
  const { fileList } = input as { fileList?: unknown };
  if (!Array.isArray(fileList) || fileList.length <= maxItems) return;
  throw new StorageError('INVALID_PARAM', {
    message: `fileList has ${fileList.length} items: send at most ${maxItems} per call.`,
  });
}

export function toStorageResponse(data: unknown, requestId: string): HandlerResponse {
  return { status: 200, body: { statusCode: 200, body: { requestId, data } } };
}

const NEUTRAL = defaultWireProfile.storeFileID;

/** Converts an envelope to a deployment's form: with its name for `storeFileID` (D1), or without the envelope (D20). */
export function toWireForm(
  body: unknown,
  { storeFileID, envelope }: Pick<WireProfile, 'storeFileID' | 'envelope'>,
): unknown {
  const wrapped = Object(body);
  let content = wrapped.body;
  if (typeof wrapped.statusCode !== 'number' || Object(content) !== content) return body;
  if (storeFileID !== NEUTRAL && Object.hasOwn(Object(content.data), NEUTRAL)) {
    const { [NEUTRAL]: value, ...rest } = content.data;
    content = { ...content, data: { ...rest, [storeFileID]: value } };
  }
  return envelope === 'flat' ? content : { ...wrapped, body: content };
}
