import type { ContractError } from '../errors/contract-error.ts';
import type { StandardIssue } from '../standard-schema.ts';
import type { RememberedCall } from './calls.ts';
import type { describeAnswer } from './describe-answer.ts';

/** What few need, and those who do are handed. */
export interface ContractParts {
  readonly ContractError: typeof ContractError;
  readonly describeAnswer: typeof describeAnswer;
}

/** The error of an answer that is a success, but not of the promised form. */
export function contractFailure(
  { ContractError, describeAnswer }: ContractParts,
  response: Response,
  call: RememberedCall,
  text: string,
  found: readonly StandardIssue[] = [],
): ContractError {
  const describe = (message: string) =>
    describeAnswer(response, 'The answer is not as promised', { message }, call);
  const issues = found.map(({ message, path: place = [] }) => ({
    // A validator may quote the answer, and that a credential.
    message: describe(message).text ?? '',
    path: place.map((step) => String(typeof step === 'object' ? step.key : step)).join('.'),
  }));
  const [first] = issues;
  const reason = first ? `${first.path && `${first.path}: `}${first.message}` : text;
  return new ContractError({ ...describe(reason), issues });
}
