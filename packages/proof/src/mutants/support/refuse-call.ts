import { MutatedAnswer } from '../../proxy/messages.ts';

/** A refusal of a storage call in the envelope, as the server would give it. */
export function refuseCall(code = 'INVALID_PARAM', status = 400): MutatedAnswer {
  const body = { requestId: 'from-the-mutant', code, message: 'Refused by the mutant.' };
  const text = JSON.stringify({ statusCode: status, body });
  return new MutatedAnswer(status, { 'Content-Type': 'application/json' }, text);
}
