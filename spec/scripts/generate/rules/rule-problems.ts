import { isPlace } from './place.ts';
import type { Rule } from './rule.ts';

/** What a rule may refer to. */
export type RuleContext = {
  documents: Record<string, unknown>;
  operations: ReadonlySet<string>;
  decisions: Record<string, string>;
  outline: readonly string[];
};

/** What is wrong with a rule whose shape is right, one sentence each. */
export function ruleProblems(rule: Rule, context: RuleContext): string[] {
  return [
    ...missing('operation', rule.operations, (id) => context.operations.has(id)),
    ...missing('decision', rule.decisions, (id) => id in context.decisions),
    ...missing('source', rule.source, (place) => context.outline.includes(place)),
    ...missing('place', rule.places, (place) => isPlace(place, context.documents)),
    ...absent(rule),
  ];
}

function missing(what: string, names: string[], exists: (name: string) => boolean): string[] {
  return names.filter((name) => !exists(name)).map((name) => `${what} ${name} does not exist`);
}

function absent(rule: Rule): string[] {
  const problems: string[] = [];
  if (rule.source.length + rule.decisions.length === 0) {
    problems.push('names neither a source nor a decision');
  }
  if (rule.places.length + rule.decisions.length === 0) {
    problems.push('names neither a place nor a decision');
  }
  if (rule.level !== 'info' && rule.operations.length === 0) {
    problems.push('is checked, so it needs operations');
  }
  if (rule.level !== 'info' && rule.places.length === 0) {
    problems.push('is checked, so it needs a place in the contract');
  }
  return problems;
}
