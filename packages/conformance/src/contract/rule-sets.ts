import first from './rule-sets/1.0.0.json' with { type: 'json' };

/** A set of rules as it was when its version was released. */
interface RuleSet {
  /** Version of the set, and of the documents that it belongs to. */
  version: string;
  documents: Record<string, string>;
  /** Level and hash of the statement of each rule, by its id. */
  rules: Record<string, { level: string; sha256: string }>;
}

/** Every version of the rule set, the newest last. A released one is never changed. */
export const ruleSets: readonly RuleSet[] = [first];

export const ruleVersions: readonly string[] = ruleSets.map(({ version }) => version);

export const newestRules = ruleVersions.at(-1) ?? '';

/** Whether a version of the rule set has a rule. */
export function hasRule(version: string, id: string): boolean {
  const set = ruleSets.find((one) => one.version === version);
  return set !== undefined && Object.hasOwn(set.rules, id);
}
