import type { IncomingMessage } from 'node:http';
import { endToEnd, type RawHeaders, without } from '../http/raw-headers.ts';
import { spellRequestId } from './spell-request-id.ts';

/** The service's headers "unchanged, save hop-by-hop headers, X-Request-Id and Content-Disposition". */
export function toAnswerHeaders(
  answer: IncomingMessage,
  requestId: string,
  dispositions: string[],
): RawHeaders {
  return [
    ...without(endToEnd(answer.rawHeaders), ['x-request-id', 'content-disposition']),
    ...dispositions.flatMap((value) => ['CONTENT-DISPOSITION', value]),
    ...[spellRequestId(requestId), requestId],
  ];
}
