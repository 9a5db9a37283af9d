import type { RememberedCall } from '../internal/calls.ts';
import { parseJson } from '../internal/parse-json.ts';
import { readText } from '../internal/read-text.ts';
import type { StandardSchema } from '../standard-schema.ts';
import { toGatewayError } from '../to-gateway-error.ts';
import { SHARED } from './shared.ts';

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
  const { checkPayload } = await import('./check-payload.ts');
  return checkPayload(SHARED, response, call, payload, isBroken ? undefined : schema);
}
