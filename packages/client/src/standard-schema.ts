/**
 * A validator by Standard Schema (https://standardschema.dev), which Zod, Valibot, ArkType and others
 * are. Only what the client needs of it is named here.
 *
 * @example
 * import * as z from 'zod';
 * const User: StandardSchema<{ name: string }> = z.object({ name: z.string() });
 */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
  };
}

/** What a validator finds: a value, or issues. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One thing that is wrong with a value. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}
