import { BerthError, type BerthErrorDetails, isOfFamily } from './berth-error.ts';

/** One thing that is wrong with a payload. */
export interface ContractIssue {
  /** What is wrong, in the words of the validator. */
  readonly message: string;
  /** Where: field names and list positions, joined by dots; empty for the whole payload. */
  readonly path: string;
}

/**
 * The answer is a success, but not of the form that was promised: JSON that is none, or a payload
 * that the validator you passed refuses. The call was executed.
 *
 * @example
 * await service.get('users', { schema: Users }).catch((error) => {
 *   if (isContractError(error)) console.error(error.issues);
 *   throw error;
 * });
 */
export class ContractError extends BerthError {
  /** Always `ContractError`. */
  override readonly name = 'ContractError';
  /** What the validator found; empty where none was asked. */
  declare readonly issues: readonly ContractIssue[];

  constructor(details: BerthErrorDetails & { readonly issues?: readonly ContractIssue[] }) {
    super({ issues: [], ...details });
  }
}

/**
 * Whether an error is a {@link ContractError}, also of another copy of this package.
 *
 * @example
 * if (isContractError(error)) for (const { path, message } of error.issues) console.error(path, message);
 */
export function isContractError(error: unknown): error is ContractError {
  return isOfFamily(error, 'ContractError');
}
