import { randomUUID } from 'node:crypto';
import { MutatedAnswer } from '../../proxy/messages.ts';

/** An error of the gateway in the form of the contract. */
export function toRefusal(status: number, code: string): MutatedAnswer {
  const requestId = randomUUID();
  const headers = { 'Content-Type': 'application/json', 'X-Request-Id': requestId };
  const body = JSON.stringify({ code, message: 'refused by a mutant', requestId });
  return new MutatedAnswer(status, headers, body);
}
