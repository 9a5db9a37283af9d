import { DECISION_TITLES } from '../generated/decision-titles.gen.ts';
import { clientRules, rules } from './rules.ts';

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
  const found = [...rules, ...clientRules].filter(({ id }) => ids.includes(id));
  const parts = found.flatMap(({ source, decisions }) => [
    ...source,
    ...decisions.map(describeDecision),
  ]);
  return [...new Set(parts)];
}
