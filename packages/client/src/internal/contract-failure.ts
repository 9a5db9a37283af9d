import { ContractError } from '../errors/contract-error.ts';
import type { StandardIssue } from '../standard-schema.ts';
import { rememberedCall } from './calls.ts';
import { describeAnswer } from './describe-answer.ts';
import { redact } from './redact.ts';

/** The error of an answer that is a success, but not of the promised form. */
export function contractFailure(
  response: Response,
  text: string,
  found: readonly StandardIssue[] = [],
): ContractError {
  const secrets = rememberedCall(response).secrets();
  const issues = found.map(({ message, path: place = [] }) => ({
    message: redact(message, secrets),
    path: place.map((step) => String(typeof step === 'object' ? step.key : step)).join('.'),
  }));
  const [first] = issues;
  return new ContractError({
    ...describeAnswer(response, 'The answer is not as promised', {
      message: first ? `${first.path && `${first.path}: `}${first.message}` : text,
    }),
    issues,
  });
}
