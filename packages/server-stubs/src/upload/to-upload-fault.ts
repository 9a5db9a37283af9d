import { UploadError, type UploadErrorCode } from '../errors/upload-error.ts';
import type { Fault, FaultKind } from '../runtime/index.ts';

const CODES: Readonly<Record<FaultKind, UploadErrorCode>> = {
  'not-found': 'MalformedPOSTRequest',
  'method-not-allowed': 'MalformedPOSTRequest',
  'bad-path': 'MalformedPOSTRequest',
  'invalid-request': 'MalformedPOSTRequest',
  'malformed-body': 'MalformedPOSTRequest',
  'unsupported-media-type': 'MalformedPOSTRequest',
  'too-large': 'EntityTooLarge',
  unauthorized: 'AccessDenied',
  'not-implemented': 'InternalError',
  'invalid-response': 'InternalError',
  'handler-failed': 'InternalError',
};

/** Faults whose status says more than the one of the code's row (D27 has no code for them). */
const OWN_STATUS: readonly FaultKind[] = ['not-found', 'method-not-allowed', 'not-implemented'];

/** A fault of the runtime in the vocabulary of the upload target (D27). */
export function toUploadFault({ kind, status, message, cause }: Fault): UploadError {
  const code = CODES[kind];
  if (kind === 'invalid-response' || kind === 'handler-failed') {
    return new UploadError(code, { cause });
  }
  return new UploadError(code, { message, cause, ...(OWN_STATUS.includes(kind) && { status }) });
}
