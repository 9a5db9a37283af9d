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
