import type { Verdict, Verdicts } from '../proxy/create-verdicts.ts';

/** A call that breaks the contract, one line for each breach. */
export function describeVerdict(verdict: Verdict): string {
  const { method, target, status, violations, answerViolations } = verdict;
  const lines = [
    ...violations.map(({ message }) => `request  ${method} ${target}: ${message}`),
    ...answerViolations.map(({ message }) => `answer   ${method} ${target} ${status}: ${message}`),
  ];
  return lines.join('\n');
}

/** How many calls there were, and how many of them break the contract. */
export function summarize({ calls, badRequests, badAnswers }: Verdicts): string {
  return `${calls} calls passed: ${badRequests} requests and ${badAnswers} answers break the contract.`;
}
