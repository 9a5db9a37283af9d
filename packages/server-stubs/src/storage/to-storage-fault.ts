import { StorageError, type StorageErrorCode } from '../errors/storage-error.ts';
import type { Fault, FaultKind } from '../runtime/index.ts';

const CODES: Readonly<Record<FaultKind, StorageErrorCode>> = {
  'not-found': 'NOT_FOUND',
  'method-not-allowed': 'METHOD_NOT_ALLOWED',
  'bad-path': 'INVALID_PARAM',
  'invalid-request': 'INVALID_PARAM',
  'malformed-body': 'INVALID_PARAM',
  'unsupported-media-type': 'UNSUPPORTED_MEDIA_TYPE',
  'too-large': 'EXCEED_MAX_PAYLOAD_SIZE',
  unauthorized: 'SIGN_PARAM_INVALID',
  'not-implemented': 'SYS_ERR',
  'invalid-response': 'SYS_ERR',
  'handler-failed': 'SYS_ERR',
};

/** A fault of the runtime in the vocabulary of the storage API (D26). */
export function toStorageFault({ kind, status, message, cause }: Fault): StorageError {
  // Only a body is a payload; a path or headers beyond the limit are a wrong parameter.
  const code = kind === 'too-large' && status !== 413 ? 'INVALID_PARAM' : CODES[kind];
  if (kind === 'invalid-response' || kind === 'handler-failed') {
    return new StorageError(code, { cause });
  }
  return new StorageError(code, { message, status, cause });
}
