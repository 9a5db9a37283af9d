import { quote } from '../report/to-curl.ts';
import type { Result } from '../result.ts';
import { type Given, OPTIONS, type OptionName, toFlag, toVariable } from './options.ts';

/** Options that select checks, or say what to do with the results. */
const LEFT_OUT: readonly OptionName[] = [
  ...(['only', 'skip', 'bail', 'seed', 'minCoverage'] as const),
  ...(['report', 'failedOnly', 'compare', 'baseline'] as const),
];

/**
 * Returns the command that repeats a single check with the options from the command line. Credentials are
 * replaced by environment variables: `--gateway-token "$BERTH_GATEWAY_TOKEN"`.
 */
export function toCommand(typed: Given, { engine, id }: Result, seed: number): string {
  // Transactions and workflows have no name of their own; a result for a document is `RULE operation`.
  const [rule = id] = id.split(' ');
  const only = engine === 'dredd' || engine === 'respect' ? engine : rule;
  const options = Object.entries(typed) as [OptionName, Given[OptionName]][];
  return [
    'berth-conformance',
    ...options.filter(([name]) => !LEFT_OUT.includes(name)).flatMap(toWords),
    `--only ${only} --seed ${seed}`,
  ].join(' ');
}

function toWords([name, value]: [OptionName, Given[OptionName]]): string[] {
  const flag = toFlag(name);
  if (typeof value === 'boolean') return value ? [flag] : [];
  if (OPTIONS[name].isSecret) return [`${flag} "$${toVariable(name)}"`];
  return [value ?? []].flat().map((each) => `${flag} ${quote(String(each))}`);
}
