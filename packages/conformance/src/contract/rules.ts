import { createHash } from 'node:crypto';
import contract from '@berth/spec/rules.json' with { type: 'json' };
import { DECISION_TITLES } from '../generated/decision-titles.gen.ts';
import releasedRules from './released-rules.json' with { type: 'json' };

export const LEVELS = ['must', 'should'] as const;
export type Level = (typeof LEVELS)[number];

/** A sentence of the contract that can be checked. */
export interface Rule {
  id: string;
  level: Level;
  statement: string;
  /** Lines of the API description that it comes from. */
  source: readonly string[];
  /** Decisions that complete the description, such as `D8`. */
  decisions: readonly string[];
  operations: readonly string[];
  /** Places in the documents, such as `gateway.v1#/…`. */
  places: readonly string[];
}

/** All rules with level MUST or SHOULD, in contract order. */
export const rules = toChecked(contract.rules);

type Written = Partial<Rule> & { id: string; level: string; statement: string };

function toChecked(
  written: readonly (Omit<Written, 'level'> & { level: string })[],
): readonly Rule[] {
  return written
    .filter(({ level }) => level !== 'info')
    .map(({ source = [], decisions = [], operations = [], places = [], ...rule }) => ({
      ...rule,
      ...{ level: rule.level.toLowerCase() as Level, source, decisions, operations, places },
    }));
}

/**
 * Returns the rule with this ID.
 *
 * @throws Error for an unknown ID
 */
export function findRule(id: string): Rule {
  const found = rules.find((rule) => rule.id === id);
  if (found) return found;
  throw new Error(`No rule with level MUST or SHOULD has the ID ${id}.`);
}

/**
 * Returns the rules for a place in the documents, including those for the elements that contain it.
 *
 * @param where document and JSON pointer, `storage.v2 #/components/schemas/StatusCode/type`
 */
export function findRules(where: string): string[] {
  const place = where.replace(' #', '#');
  const isAbove = (other: string) => place === other || place.startsWith(`${other}/`);
  return rules.filter(({ places }) => places.some(isAbove)).map(({ id }) => id);
}

/**
 * Returns a decision with its title.
 *
 * @example
 * describeDecision('D21'); // D21 (Top level or data)
 */
export function describeDecision(id: string): string {
  const title = DECISION_TITLES[id];
  return title === undefined ? id : `${id} (${title})`;
}

/** Returns what rules are based on: lines of the API description, and decisions with their titles. */
export function listSources(ids: readonly string[]): string[] {
  const found = rules.filter(({ id }) => ids.includes(id));
  const parts = found.flatMap(({ source, decisions }) => [
    ...source,
    ...decisions.map(describeDecision),
  ]);
  return [...new Set(parts)];
}

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

/** Every released version of the rule set. `scripts/release.ts` adds the current one; released versions never change. */
const released: readonly RuleSet[] = releasedRules;

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
