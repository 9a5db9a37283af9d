import contract from '@berth/spec/rules.json' with { type: 'json' };
import { TOPICS } from '../generated/rule-ids.gen.ts';
import type { Api } from './openapi.ts';

export type Level = 'must' | 'should';

type RuleSource = Omit<(typeof contract.rules)[number], 'sentences' | 'level'>;

/** A requirement of the contract, as one or more sentences that can be checked. */
export interface Rule extends RuleSource {
  engine: 'rules';
  level: Level;
  api: Api;
  /** What it is about, by the beginning of its ID: `Gateway`. */
  topic: string;
  /** The sentences by their IDs: `GW-PATH/1`. The only sentence of a rule has the ID of the rule. */
  sentences: Readonly<Record<string, string>>;
  /**
   * Where the documents state the rule. Findings cite the first place (`placeOf`). If Dredd does not get a response that
   * one of the places contains, the rule is violated (`listViolated`), so that `--known` with this rule covers that, too.
   */
  places: string[];
}

const TITLES: Record<string, string> = TOPICS;

export const rules: readonly Rule[] = contract.rules.map(({ sentences, ...rule }) => ({
  ...rule,
  engine: 'rules',
  level: rule.level.toLowerCase() as Level,
  // The generator rejects a rule for deployments that is about both documents.
  api: rule.documents === 'gateway.v1' ? 'gateway' : 'storage',
  topic: TITLES[rule.id.slice(0, rule.id.indexOf('-'))] ?? '',
  sentences: sentences
    ? Object.fromEntries(sentences.map((text, index) => [`${rule.id}/${index + 1}`, text]))
    : { [rule.id]: rule.statement },
}));

export function findRule(id: string): Rule {
  const [ruleId] = id.split('/');
  const found = rules.find((rule) => rule.id === ruleId);
  if (found) return found;
  throw new Error(`No rule has the ID ${ruleId}.`);
}

export const placeOf = ({ places, id }: Rule): string => places[0] ?? id;

/**
 * Returns the rules that a finding violates: the rule of its sentence or, if it has none, every rule with a place that
 * contains the finding's place.
 */
export function listViolated({ sentence, where }: { sentence?: string; where: string }): string[] {
  if (sentence !== undefined) return [findRule(sentence).id];
  const place = where.replace(' #', '#');
  const isAbove = (other: string) => place === other || place.startsWith(`${other}/`);
  return rules.filter(({ places }) => places.some(isAbove)).map(({ id }) => id);
}

/** Returns what rules are based on: lines of the API description, and decisions: `D21 (Top level or data)`. */
export function listSources(ids: readonly string[]): string[] {
  const titles: Record<string, string> = contract.decisions;
  const found = rules.filter(({ id }) => ids.includes(id));
  const parts = found.flatMap(({ source, decisions }) => [
    ...source,
    ...decisions.map((id) => `${id} (${titles[id]})`),
  ]);
  return [...new Set(parts)];
}
