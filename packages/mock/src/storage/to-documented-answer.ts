import type { Answer } from '../http/answer.ts';
import { isObject } from '../is-object.ts';
import type { Documented } from '../oracle/create-oracle.ts';
import { toAnswer } from '../oracle/to-answer.ts';

/**
 * Turns a documented answer into one of this call: `statusCode` equals the status (D20), and the
 * request identifier is the call's own.
 */
export function toDocumentedAnswer(documented: Documented, requestId: string): Answer {
  return toAnswer(documented, (envelope) => {
    if (!isObject(envelope) || !isObject(envelope.body)) return envelope;
    return { ...envelope, statusCode: documented.status, body: { ...envelope.body, requestId } };
  });
}
