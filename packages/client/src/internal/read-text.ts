import { rememberedCall } from './calls.ts';
import { networkFailure } from './pipeline/network-failure.ts';

/**
 * Reads the body of an answer as text.
 *
 * @param body what to read, where it is a clone
 * @throws NetworkError where it breaks off
 */
export async function readText(response: Response, body = response): Promise<string> {
  try {
    return await body.text();
  } catch (error) {
    throw networkFailure(rememberedCall(response), error, 'The answer broke off');
  }
}
