import { createHash } from 'node:crypto';
import contract from '@berth/spec/rules.json' with { type: 'json' };
import first from './rule-sets/1.0.0.json' with { type: 'json' };

interface RuleSet {
  /** Version of the rule set, and of the documents that it belongs to. */
  version: string;
  documents: Record<string, string>;
  /** Level and statement hash of each rule, by its ID. */
  rules: Record<string, { level: string; sha256: string }>;
}

export const currentRules: RuleSet = {
  version: contract.version,
  documents: contract.documents,
  rules: Object.fromEntries(
    contract.rules
      .filter(({ level }) => level !== 'info')
      .map(({ id, level, statement }) => {
        const sha256 = createHash('sha256').update(statement).digest('hex').slice(0, 16);
        return [id, { level, sha256 }];
      }),
  ),
};

/** Every released version of the rule set. Released versions never change. */
const released: readonly RuleSet[] = [first];

/** Every version of the rule set, newest last. The current version may be unreleased. */
export const ruleSets: readonly RuleSet[] = released.some(
  ({ version }) => version === currentRules.version,
)
  ? released
  : [...released, currentRules];

export const ruleVersions: readonly string[] = ruleSets.map(({ version }) => version);

export const newestRules = ruleVersions.at(-1) ?? '';

export function hasRule(version: string, id: string): boolean {
  const set = ruleSets.find((one) => one.version === version);
  return set !== undefined && Object.hasOwn(set.rules, id);
}
