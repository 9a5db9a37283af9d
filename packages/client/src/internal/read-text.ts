import type { RememberedCall } from './calls.ts';
import { networkFailure } from './pipeline/network-failure.ts';

/**
 * Reads the body of an answer as text.
 *
 * @throws NetworkError where it breaks off
 */
export function readText(response: Response, call: RememberedCall): Promise<string> {
  return response.text().catch((error) => {
    throw networkFailure(call, error, 'The answer broke off');
  });
}
