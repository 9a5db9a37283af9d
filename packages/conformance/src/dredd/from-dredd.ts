import type { DreddTransaction } from 'dredd';
import type { Drafted } from '../http-messages.ts';
import type { DreddKey } from './protocol.ts';

/** Dredd's name of a transaction; the copy's summaries are the operationIds. */
export function toKey({ origin, expected }: DreddTransaction): DreddKey {
  return {
    title: origin.apiName,
    operationId: origin.actionName,
    copyStatus: expected.statusCode,
    contentType: expected.headers['Content-Type'] ?? '',
  };
}

export function toDrafted({ request }: DreddTransaction): Drafted {
  const { method, headers, body } = request;
  return { method, headers, body };
}
