import { STATUS_CODES } from 'node:http';
import type { Fault } from './fault.ts';
import type { Answer } from './route-table.ts';

/**
 * The default shape of a fault: problem details (RFC 9457). `type` is left out, which means
 * `about:blank`: the status says it all. `errors` lists the violations of the request.
 */
export function toProblem(fault: Fault): Answer {
  return {
    status: fault.status,
    headers: { 'content-type': 'application/problem+json' },
    body: {
      title: STATUS_CODES[fault.status] ?? 'Error',
      status: fault.status,
      detail: fault.message,
      ...(fault.violations && { errors: fault.violations.map(toPublic) }),
    },
  };
}

function toPublic({ message, pointer, in: place }: NonNullable<Fault['violations']>[number]) {
  return { detail: message, pointer, in: place };
}
