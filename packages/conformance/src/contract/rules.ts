import contract from '@berth/spec/rules.json' with { type: 'json' };
import type { SentenceId } from '../generated/rule-ids.gen.ts';
import type { Api } from './openapi.ts';

export type Level = 'must' | 'should';

/** What the contract says about one thing, in one or more sentences that can be checked. */
export interface Rule {
  id: string;
  level: Level;
  statement: string;
  /** The API that it is about. */
  api: Api;
  /** The sentences by their IDs: `GW-PATH/1`. The only sentence of a rule has the ID of the rule. */
  sentences: Readonly<Record<string, string>>;
  /** Lines of the API description that it comes from. */
  source: readonly string[];
  /** Decisions that complete the description, such as `D8`. */
  decisions: readonly string[];
  operations: readonly string[];
  /** Places in the documents, such as `gateway.v1#/…`. */
  places: readonly string[];
}

/** All rules with level MUST or SHOULD, in contract order. */
export const rules: readonly Rule[] = toChecked(contract.rules);

interface Written extends Partial<Pick<Rule, 'source' | 'decisions' | 'operations' | 'places'>> {
  id: string;
  level: string;
  statement: string;
  documents: string;
  sentences?: readonly string[];
}

function toChecked(written: readonly Written[]): readonly Rule[] {
  return written
    .filter(({ level }) => level !== 'info')
    .map(({ id, level, statement, documents, sentences, ...rule }) => ({
      id,
      level: level.toLowerCase() as Level,
      statement,
      api: documents === 'gateway.v1' ? 'gateway' : 'storage',
      sentences:
        sentences === undefined
          ? { [id]: statement }
          : Object.fromEntries(sentences.map((text, index) => [`${id}/${index + 1}`, text])),
      source: rule.source ?? [],
      decisions: rule.decisions ?? [],
      operations: rule.operations ?? [],
      places: rule.places ?? [],
    }));
}

/**
 * Returns the rule that a sentence belongs to.
 *
 * @param id ID of a rule or of one of its sentences
 * @throws Error for an unknown ID
 */
export function findRule(id: string): Rule {
  const [ruleId] = id.split('/');
  const found = rules.find((rule) => rule.id === ruleId);
  if (found) return found;
  throw new Error(`No rule with level MUST or SHOULD has the ID ${ruleId}.`);
}

/** Returns the text of a sentence. */
export function findStatement(id: SentenceId): string {
  return findRule(id).sentences[id] ?? '';
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
