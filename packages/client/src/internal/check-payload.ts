import { ContractError } from '../errors.ts';
import { describeResponse } from './failures.ts';

/**
 * A validator that implements Standard Schema (https://standardschema.dev), such as those of Zod,
 * Valibot and ArkType. Declares only what the client needs.
 *
 * @example
 * import * as z from 'zod';
 * const User: StandardSchema<{ name: string }> = z.object({ name: z.string() });
 */
export interface StandardSchema<Output = unknown> {
  /** The properties of Standard Schema. */
  readonly '~standard': {
    /** Version of Standard Schema. */
    readonly version: 1;
    /** Name of the library, such as `zod`. */
    readonly vendor: string;
    /** Validates a value; an error that it throws ends the call, unchanged. */
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
  };
}

/** The result of a validator: a value, or issues. */
export type StandardResult<Output> =
  | {
      /** The value, perhaps transformed by the validator. */
      readonly value: Output;
      /** Absent for a valid value. */
      readonly issues?: undefined;
    }
  | {
      /** What is wrong; at least one issue. */
      readonly issues: readonly StandardIssue[];
    };

/** One thing that is wrong with a value. */
export interface StandardIssue {
  /** Human-readable message. */
  readonly message: string;
  /** Where: keys and indexes from the outside in. Default: the whole value. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/**
 * Validates a payload and returns the result.
 *
 * @throws ContractError if it is invalid
 */
export async function checkPayload<Payload>(
  response: Response,
  payload: unknown,
  schema: StandardSchema<Payload>,
): Promise<Payload> {
  const result = await schema['~standard'].validate(payload);
  if (result.issues) throw contractFailure(response, 'the payload is invalid', result.issues);
  return result.value;
}

/** The error of a success response that does not have the expected form. */
export function contractFailure(
  response: Response,
  text: string,
  found: readonly StandardIssue[] = [],
): ContractError {
  const describe = (message: string) =>
    describeResponse(response, 'Unexpected response', { message });
  const issues = found.map(({ message, path: place = [] }) => ({
    // A validator may quote the response, which may contain a credential.
    message: describe(message).text ?? '',
    path: place.map((step) => String(typeof step === 'object' ? step.key : step)).join('.'),
  }));
  const [first] = issues;
  const reason = first ? `${first.path && `${first.path}: `}${first.message}` : text;
  return new ContractError({ ...describe(reason), issues });
}
