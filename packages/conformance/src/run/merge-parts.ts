import type { Rule } from '../contract/rules.ts';
import type { SentenceId } from '../generated/rule-ids.gen.ts';
import { type Outcome, type Result, type Scope, toResult } from '../result.ts';

export interface Part extends Pick<Result, 'outcome' | 'reason' | 'findings'> {
  id: SentenceId;
  scope?: Scope;
  notes?: string[];
  durationMs?: number;
}

/** The outcome of a sentence is the first of these that one of its parts has; that of a rule, one of its sentences. */
const PRECEDENCE: readonly Outcome[] = ['fail', 'error', 'skip', 'pass', 'disabled'];

function findDecisive<Item extends { outcome: Outcome }>(items: readonly Item[]): Item {
  const rank = ({ outcome }: Item) => PRECEDENCE.indexOf(outcome);
  return items.toSorted((a, b) => rank(a) - rank(b))[0] as Item;
}

export function mergeParts(rule: Rule, parts: readonly Part[]): Result {
  const sentences = [...Map.groupBy(parts, ({ id }) => id)].map(([id, partsOfSentence]) => {
    const { outcome, reason } = findDecisive(partsOfSentence);
    /** Why a part is disabled: then even a pass does not prove the sentence. */
    const unchecked = partsOfSentence.find((part) => part.outcome === 'disabled')?.reason;
    return { id, outcome, reason, unchecked };
  });
  const { id, outcome, reason } = findDecisive(sentences);
  const isShared = sentences.every((sentence) => sentence.reason === reason);
  const unchecked = sentences.flatMap((sentence) => {
    const what = sentence.outcome === 'pass' ? 'only partly' : 'not';
    const note = `${sentence.id} was ${what} checked: ${sentence.unchecked}`;
    return outcome === 'pass' && sentence.unchecked !== undefined ? note : [];
  });
  const passed: string[] = sentences
    .filter((sentence) => sentence.outcome === 'pass' && sentence.unchecked === undefined)
    .map((sentence) => sentence.id);
  const isProved = Object.keys(rule.sentences).every((sentence) => passed.includes(sentence));
  return toResult(rule, {
    rules: [rule.id],
    passed: [...new Set([...(isProved ? [rule.id] : []), ...passed])],
    outcome,
    reason: reason === undefined || isShared ? reason : `${id}: ${reason}`,
    scopes: Object.fromEntries(parts.flatMap(({ id, scope }) => (scope ? [[id, scope]] : []))),
    findings: parts.flatMap((part) =>
      part.findings.map((finding) => ({ ...finding, sentence: part.id })),
    ),
    unchecked,
    notes: parts.flatMap(({ notes = [] }) => notes),
    durationMs: parts.reduce((total, { durationMs = 0 }) => total + durationMs, 0),
  });
}
