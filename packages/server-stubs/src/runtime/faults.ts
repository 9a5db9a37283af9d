import type { Fault } from './fault.ts';
import type { Violation } from './violation.ts';

export function notFound(path: string): Fault {
  return { kind: 'not-found', status: 404, message: `There is nothing at ${path}.` };
}

export function methodNotAllowed(method: string, allowed: string): Fault {
  return {
    kind: 'method-not-allowed',
    status: 405,
    message: `${method} is not allowed here; use ${allowed}.`,
    // RFC 9110, section 15.5.6: "The origin server MUST generate an Allow header field".
    headers: { allow: allowed },
  };
}

export function badEncoding(name: string): Fault {
  const message = `path.${name} has broken percent-encoding.`;
  const violation = { in: 'path', pointer: `/${name}`, keyword: 'encoding', message } as const;
  const violations = [{ ...violation, schemaPath: '' }];
  return { kind: 'bad-path', status: 400, message, violations };
}

export function uriTooLong(part: string, maxBytes: number): Fault {
  return {
    kind: 'too-large',
    status: 414,
    message: `The ${part} is longer than ${maxBytes} bytes.`,
  };
}

export function headersTooLarge(maxBytes: number): Fault {
  return {
    kind: 'too-large',
    status: 431,
    message: `The headers are larger than ${maxBytes} bytes.`,
  };
}

export function invalidRequest(violations: readonly Violation[]): Fault {
  return {
    kind: 'invalid-request',
    status: 400,
    message: violations.map(({ message }) => message).join(' '),
    violations,
  };
}

export function notImplemented(operationId: string): Fault {
  return {
    kind: 'not-implemented',
    status: 501,
    message: `The operation ${operationId} is not implemented.`,
  };
}

export function unauthorized(message: string, challenge: string, cause?: unknown): Fault {
  return {
    kind: 'unauthorized',
    status: 401,
    message,
    headers: { 'www-authenticate': challenge },
    cause,
  };
}

export function invalidResponse(violation: Violation): Fault {
  const message = 'The server made an answer that its contract does not allow.';
  return { kind: 'invalid-response', status: 500, message, cause: violation };
}

export function handlerFailed(cause: unknown): Fault {
  return { kind: 'handler-failed', status: 500, message: 'The server failed.', cause };
}
