import type { IncomingMessage } from 'node:http';
import type { MockedAnswer } from '../services.ts';

/** What a real service answered, each header as often as it came. */
export function toAnswer(answer: IncomingMessage) {
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headersDistinct,
    body: answer,
  } satisfies MockedAnswer;
}
