import contract from '@berth/spec/rules.json' with { type: 'json' };

export type Level = 'must' | 'should';

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
function describeDecision(id: string): string {
  const title = (contract.decisions as Record<string, string>)[id];
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
