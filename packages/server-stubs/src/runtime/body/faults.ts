import type { Fault } from '../fault.ts';

export function malformed(message: string, cause?: unknown): Fault {
  const violation = {
    in: 'body',
    pointer: '',
    keyword: 'syntax',
    message,
    schemaPath: '',
  } as const;
  return { kind: 'malformed-body', status: 400, message, violations: [violation], cause };
}

export function tooLarge(maxBytes: number): Fault {
  const message = `The body is larger than ${maxBytes} bytes.`;
  return { kind: 'too-large', status: 413, message };
}

export function tooMany(what: string, most: number): Fault {
  return { kind: 'too-large', status: 413, message: `The form has more than ${most} ${what}.` };
}

/** @param accepted media types that the operation takes, for the header `Accept` (RFC 9110, section 15.5.16) */
export function unsupported(message: string, accepted: string): Fault {
  return {
    kind: 'unsupported-media-type',
    status: 415,
    message,
    headers: accepted === '' ? {} : { accept: accepted },
  };
}
