import { quote } from '../report/to-curl.ts';
import type { Result } from '../result.ts';
import { type Given, OPTIONS, type OptionName, SIGNING, toFlag, toVariable } from './options.ts';

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
  const kept = options.filter(([name]) => !LEFT_OUT.includes(name));
  return [...toStart('berth-conformance', kept), `--only ${only} --seed ${seed}`].join(' ');
}

/**
 * Returns the command that runs a printed `curl` command with new signatures. `undefined` if the run did not sign
 * its calls.
 */
export function toSigner(given: Given, typed: Given): string | undefined {
  if ((given.tc3SecretId ?? given.authModule) === undefined) return undefined;
  const options = Object.entries(typed) as [OptionName, Given[OptionName]][];
  const kept = options.filter(([name]) => SIGNING.includes(name));
  return [...toStart('berth-conformance sign', kept), '--'].join(' ');
}

/** The command with options. A list of secrets is only set as a variable, which has one value per line. */
function toStart(command: string, options: [OptionName, Given[OptionName]][]): string[] {
  const isSecretList = (name: OptionName) =>
    OPTIONS[name].isSecret && OPTIONS[name].kind === 'list';
  const lists = options.filter(([name]) => isSecretList(name)).map(([name]) => toVariable(name));
  const others = options.filter(([name]) => !isSecretList(name));
  return [...lists.map((name) => `${name}="$${name}"`), command, ...others.flatMap(toWords)];
}

function toWords([name, value]: [OptionName, Given[OptionName]]): string[] {
  const flag = toFlag(name);
  if (typeof value === 'boolean') return value ? [flag] : [];
  if (OPTIONS[name].isSecret) return [`${flag} "$${toVariable(name)}"`];
  return [value ?? []].flat().map((each) => `${flag} ${quote(String(each))}`);
}
