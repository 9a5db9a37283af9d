import type { Choices } from '../choices.ts';
import { type Refusal, refusals } from './refusals.ts';

export interface Answer {
  status: number;
  body: string;
}

type Ways = Pick<Choices, 'envelope' | 'failures' | 'should'>;

/** "On success `statusCode` is 200" (D20). */
export function toSuccess(data: object, requestId: string, ways: Ways): Answer {
  return envelop(200, 200, { ...common(requestId, ways), data }, ways);
}

/**
 * `statusCode` "for copy equals the HTTP status; elsewhere equality is ours" (D20), so elsewhere it is a
 * number of this server's own.
 */
export function toFailure(
  { code, message }: Refusal,
  operation: string,
  requestId: string,
  ways: Ways,
): Answer {
  const { status: own, ok } = refusals[code];
  const status = ways.failures === 'ok' || (ways.failures === 'some' && ok) ? 200 : own;
  const statusCode = operation === 'batchCopyFile' ? status : 7000 + own;
  const text = ways.should === 'kept' ? { message } : {};
  return envelop(status, statusCode, { code, ...text, ...common(requestId, ways) }, ways);
}

function common(requestId: string, { should }: Ways): object {
  return should === 'kept' ? { requestId } : {};
}

function envelop(status: number, statusCode: number, body: object, { envelope }: Ways): Answer {
  return { status, body: JSON.stringify(envelope === 'flat' ? body : { body, statusCode }) };
}
