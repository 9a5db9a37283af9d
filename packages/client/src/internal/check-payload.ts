import { ContractError } from '../errors.ts';
import { describeResponse } from './failures.ts';

/**
 * A validator by Standard Schema (https://standardschema.dev), which Zod, Valibot, ArkType and others
 * are. Only what the client needs of it is named here.
 *
 * @example
 * import * as z from 'zod';
 * const User: StandardSchema<{ name: string }> = z.object({ name: z.string() });
 */
export interface StandardSchema<Output = unknown> {
  /** What a library puts there for others. */
  readonly '~standard': {
    /** Version of Standard Schema. */
    readonly version: 1;
    /** Name of the library, such as `zod`. */
    readonly vendor: string;
    /** Checks a value; an error that it throws ends the call as it is. */
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
  };
}

/** What a validator finds: a value, or issues. */
export type StandardResult<Output> =
  | {
      /** The value, perhaps changed by the validator. */
      readonly value: Output;
      /** There are none. */
      readonly issues?: undefined;
    }
  | {
      /** What is wrong, at least one thing. */
      readonly issues: readonly StandardIssue[];
    };

/** One thing that is wrong with a value. */
export interface StandardIssue {
  /** What is wrong, for people. */
  readonly message: string;
  /** Where: keys and positions from the outside in. Default: the whole value. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/**
 * Gives what the validator makes of a payload.
 *
 * @throws ContractError where it refuses
 */
export async function checkPayload<Payload>(
  response: Response,
  payload: unknown,
  schema: StandardSchema<Payload>,
): Promise<Payload> {
  const result = await schema['~standard'].validate(payload);
  if (result.issues) throw contractFailure(response, 'the validator refuses it', result.issues);
  return result.value;
}

/** The error of a response that is a success, but not of the promised form. */
export function contractFailure(
  response: Response,
  text: string,
  found: readonly StandardIssue[] = [],
): ContractError {
  const describe = (message: string) =>
    describeResponse(response, 'The answer is not as promised', { message });
  const issues = found.map(({ message, path: place = [] }) => ({
    // A validator may quote the response, and that a credential.
    message: describe(message).text ?? '',
    path: place.map((step) => String(typeof step === 'object' ? step.key : step)).join('.'),
  }));
  const [first] = issues;
  const reason = first ? `${first.path && `${first.path}: `}${first.message}` : text;
  return new ContractError({ ...describe(reason), issues });
}
