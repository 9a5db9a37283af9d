import type { IncomingMessage, ServerResponse } from 'node:http';
import { hasResponse } from '@berth/server-stubs/contract';
import { type Refusal, toRefusal } from '../contract/surface.ts';
import { refuse } from '../early-responses.ts';
import type { CallRecord } from '../log.ts';
import type { RouterParts } from '../surfaces/router-options.ts';
import { applyFaults } from './fault-kinds.ts';
import { FAULT_HEADER, type FaultRule, type FaultSubject } from './fault-rules.ts';
import { onNode } from './faulted-call.ts';

const HEADER = FAULT_HEADER.toLowerCase();

/**
 * Returns whether faults may apply to a request. Preflights have none, because after a failed preflight the browser would
 * not send the actual request.
 */
export function mayHaveFaults(
  { headers, method }: IncomingMessage,
  { session }: CallRecord,
): boolean {
  return (headers[HEADER] !== undefined || !session.faults.isEmpty) && method !== 'OPTIONS';
}

/** A request that faults may apply to, before it is validated. */
export interface FaultedRequest {
  readonly request: IncomingMessage;
  /** Undefined for the upgrade to a WebSocket. */
  readonly response?: ServerResponse;
  readonly record: CallRecord;
  readonly subject: FaultSubject;
  readonly parts: RouterParts;
  /** Creates the response that a fault sends. Returns undefined if an earlier call on the connection is in progress. */
  toResponse(): ServerResponse | undefined;
}

/**
 * Applies the faults of the session and of the `X-Mock-Fault` header to a request, and calls `next` unless one of them
 * has ended the call.
 */
export async function applyRequestFaults(
  { request, response, record, subject, parts, toResponse }: FaultedRequest,
  next: () => unknown,
): Promise<void> {
  const respond = (error: Refusal) => {
    const created = toResponse();
    if (created === undefined) {
      request.destroy();
    } else if (!created.headersSent) {
      record.status = error.status;
      refuse(error, record, created, parts);
    }
  };
  let due: readonly FaultRule[];
  try {
    due = record.session.faults.take(subject, request.headers[HEADER]?.toString());
  } catch (error) {
    if (!hasResponse(error)) throw error;
    respond(error as Refusal);
    return;
  }
  if (due.length > 0) {
    const { surface, operationId, service } = subject;
    Object.assign(record, { faults: due.map(({ name }) => name), operationId, service });
    const fail = (code: string) => respond(toRefusal(surface, code));
    if (await applyFaults(due, onNode(request, response, fail))) return;
  }
  // During a delay, broken data may have ended the call.
  if (!response?.headersSent) next();
}
