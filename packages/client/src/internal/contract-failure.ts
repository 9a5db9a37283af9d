import { ContractError } from '../errors/contract-error.ts';
import type { StandardIssue } from '../standard-schema.ts';
import { callOf } from './calls.ts';
import { requestIdOf } from './request-id-of.ts';

/** The error of an answer that is a success, but not of the promised form. */
export function contractFailure(
  response: Response,
  text: string,
  found: readonly StandardIssue[] = [],
): ContractError {
  const { method, path, redact } = callOf(response);
  const issues = found.map(({ message, path: place = [] }) => ({
    message: redact(message),
    path: place.map((step) => String(typeof step === 'object' ? step.key : step)).join('.'),
  }));
  const [first] = issues;
  return new ContractError({
    what: 'The answer is not as promised',
    method,
    path,
    status: response.status,
    text: first ? `${first.path && `${first.path}: `}${first.message}` : text,
    requestId: requestIdOf(response),
    issues,
  });
}
