import { BerthError, ContractError } from '../errors.ts';
import type { StandardSchema } from '../internal/check-payload.ts';
import {
  describeAnswer,
  networkFailure,
  type RememberedCall,
  readText,
  rememberCall,
} from '../internal/failures.ts';
import { toGatewayError } from '../internal/gateway-answers.ts';
import { parseJson } from '../internal/json.ts';

/**
 * What the parts that are loaded late are handed. They do not import it: a bundler that puts all into
 * one file wraps what they import, also for those who never use them.
 */
export const SHARED = {
  BerthError,
  ContractError,
  describeAnswer,
  networkFailure,
  parseJson,
  rememberCall,
};

export type Shared = typeof SHARED;

/** Reads an answer: JSON parsed, nothing as `undefined`, the rest as text. */
export async function readPayload<Payload>(
  response: Response,
  call: RememberedCall,
  schema?: StandardSchema<Payload>,
): Promise<Payload> {
  const text = await readText(response, call);
  if (!response.ok) throw toGatewayError({ error: parseJson(text) ?? text, response });
  const isJson = /^application\/(\S+\+)?json\b/i.test(response.headers.get('Content-Type') ?? '');
  const payload = text === '' ? undefined : isJson ? parseJson(text) : text;
  const isBroken = text !== '' && payload === undefined;
  if (!schema && !isBroken) return payload as Payload;
  // Few calls need it, and it brings the error along.
  const { checkPayload } = await import('../internal/check-payload.ts');
  return checkPayload(SHARED, response, call, payload, isBroken ? undefined : schema);
}
