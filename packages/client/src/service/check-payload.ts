import type { RememberedCall } from '../internal/calls.ts';
import { type ContractParts, contractFailure } from '../internal/contract-failure.ts';
import type { StandardSchema } from '../standard-schema.ts';

/**
 * Gives what the validator makes of a payload.
 *
 * @throws ContractError where it refuses, or where what is to be JSON is none (`undefined`)
 */
export async function checkPayload<Payload>(
  parts: ContractParts,
  response: Response,
  call: RememberedCall,
  payload: unknown,
  schema: StandardSchema<Payload> | undefined,
): Promise<Payload> {
  if (!schema) throw contractFailure(parts, response, call, 'no valid JSON');
  const result = await schema['~standard'].validate(payload);
  if (result.issues)
    throw contractFailure(parts, response, call, 'the validator refuses it', result.issues);
  return result.value;
}
