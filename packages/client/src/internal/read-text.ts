import { rememberedCall } from './calls.ts';
import { networkFailure } from './pipeline/network-failure.ts';

/** Reads the body of an answer as text. */
export async function readText(response: Response): Promise<string> {
  try {
    return await response.text();
  } catch (error) {
    throw networkFailure(rememberedCall(response), error, 'The answer broke off');
  }
}
