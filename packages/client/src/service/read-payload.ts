import { checkPayload, contractFailure, type StandardSchema } from '../internal/check-payload.ts';
import { readText } from '../internal/failures.ts';
import { toGatewayError } from '../internal/gateway-errors.ts';
import { parseJson } from '../internal/json.ts';

/** Reads a payload: JSON is parsed, an empty body becomes `undefined`, and anything else is text. */
export async function readPayload<Payload>(
  response: Response,
  schema?: StandardSchema<Payload>,
): Promise<Payload> {
  const text = await readText(response);
  if (!response.ok) throw toGatewayError({ error: parseJson(text) ?? text, response });
  const isJson = /^application\/(\S+\+)?json\b/i.test(response.headers.get('Content-Type') ?? '');
  const payload = text === '' ? undefined : isJson ? parseJson(text) : text;
  if (text !== '' && payload === undefined) throw contractFailure(response, 'invalid JSON');
  return schema ? checkPayload(response, payload, schema) : (payload as Payload);
}
