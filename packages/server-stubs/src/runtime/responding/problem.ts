import { STATUS_CODES } from 'node:http';
import type { Fault } from '../faults.ts';
import type { HandlerResponse } from '../route-table.ts';

/**
 * Formats a fault as problem details (RFC 9457), which is the default format. `type` is omitted, which means
 * `about:blank`. `errors` lists the violations in the request.
 */
export function toProblem(fault: Fault): HandlerResponse {
  return {
    status: fault.status,
    headers: { 'content-type': 'application/problem+json' },
    body: {
      title: STATUS_CODES[fault.status] ?? 'Error',
      status: fault.status,
      detail: fault.message,
      ...(fault.violations && {
        errors: fault.violations.map(({ message, pointer, in: place }) => ({
          detail: message,
          pointer,
          in: place,
        })),
      }),
    },
  };
}
