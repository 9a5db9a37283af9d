import { GatewayError, type GatewayErrorCode } from '../errors/gateway-error.ts';
import type { Call, Fault, FaultKind } from '../runtime/index.ts';

const CODES: Readonly<Record<FaultKind, GatewayErrorCode>> = {
  'not-found': 'INVALID_PATH',
  'method-not-allowed': 'METHOD_NOT_ALLOWED',
  'bad-path': 'INVALID_REQUEST',
  'invalid-request': 'INVALID_REQUEST',
  'malformed-body': 'INVALID_REQUEST',
  'unsupported-media-type': 'INVALID_REQUEST',
  'too-large': 'EXCEED_MAX_PAYLOAD_SIZE',
  unauthorized: 'INVALID_CREDENTIALS',
  'not-implemented': 'SYS_ERR',
  'invalid-response': 'SYS_ERR',
  'handler-failed': 'SYS_ERR',
};

/** A fault of the runtime in the vocabulary of the gateway (D6). */
export function toGatewayFault(fault: Fault, { request }: Call): GatewayError {
  const { kind, status, message, cause } = fault;
  if (kind === 'unauthorized' && request.headers.authorization === undefined) {
    return new GatewayError('MISSING_CREDENTIALS', {
      message: 'The header Authorization is missing: send a Bearer token or a signature.',
    });
  }
  // Only a body is a payload; a path or headers beyond the limit make the request invalid.
  const code = kind === 'too-large' && status !== 413 ? 'INVALID_REQUEST' : CODES[kind];
  if (kind === 'invalid-response' || kind === 'handler-failed') {
    return new GatewayError(code, { cause });
  }
  return new GatewayError(code, { message, status, cause });
}
