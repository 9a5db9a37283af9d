import { ContractError } from '../errors.ts';
import { describeResponse, readText } from './failures.ts';
import { toGatewayError } from './gateway-errors.ts';
import { parseJson } from './options.ts';

/**
 * A validator that implements Standard Schema (https://standardschema.dev), such as one from Zod, Valibot or
 * ArkType. This interface declares only what the client needs.
 *
 * @example
 * import * as z from 'zod';
 * const User: StandardSchema<{ name: string }> = z.object({ name: z.string() });
 */
export interface StandardSchema<Output = unknown> {
  /** The Standard Schema properties. */
  readonly '~standard': {
    /** Standard Schema version. */
    readonly version: 1;
    /** Name of the library, such as `zod`. */
    readonly vendor: string;
    /** Validates a value. If it throws, the call rejects with the same error. */
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
  };
}

/** The validation result: a value, or issues. */
type StandardResult<Output> =
  | {
      /** The value. The validator may have transformed it. */
      readonly value: Output;
      /** Absent if the value is valid. */
      readonly issues?: undefined;
    }
  | {
      /** What is wrong. Contains at least one issue. */
      readonly issues: readonly StandardIssue[];
    };

/** A problem with a value. */
interface StandardIssue {
  /** Human-readable message. */
  readonly message: string;
  /** Location of the problem: keys and indexes, outermost first. Default: the entire value. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

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

export async function checkPayload<Payload>(
  response: Response,
  payload: unknown,
  schema: StandardSchema<Payload>,
): Promise<Payload> {
  const result = await schema['~standard'].validate(payload);
  if (result.issues) throw contractFailure(response, 'the payload is invalid', result.issues);
  return result.value;
}

/** Creates the error for a successful response that does not have the expected form. */
export function contractFailure(
  response: Response,
  text: string,
  found: readonly StandardIssue[] = [],
): ContractError {
  const describe = (message: string) =>
    describeResponse(response, 'Unexpected response', { message });
  const issues = found.map(({ message, path: place = [] }) => ({
    message,
    path: place.map((step) => String(typeof step === 'object' ? step.key : step)).join('.'),
  }));
  const [first] = issues;
  const reason = first ? `${first.path && `${first.path}: `}${first.message}` : text;
  return new ContractError({ ...describe(reason), issues });
}
