import type { Call } from './call.ts';
import { readBody } from './read-body.ts';

/** A parsed body (undefined where it is empty), or what is wrong with it. */
export type JsonBody = { value: unknown } | { fault: string };

/**
 * Reads a JSON body.
 *
 * @throws BodyTooLarge above `maxBytes`
 */
export async function readJson({ request }: Call, maxBytes: number): Promise<JsonBody> {
  const bytes = await readBody(request, maxBytes);
  if (bytes.length === 0) return { value: undefined };
  try {
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) };
  } catch (error) {
    return error instanceof SyntaxError
      ? { fault: 'The body is not valid JSON: check quotes, commas and brackets.' }
      : { fault: 'The body is not valid UTF-8: encode the JSON as UTF-8.' };
  }
}
