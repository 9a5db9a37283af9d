import type ruleSet from '@berth/spec/rules.json';
import { toPlaceFile } from './to-place-file.ts';
import { toTable } from './to-table.ts';

type RuleSet = typeof ruleSet;
type Rule = RuleSet['rules'][number];

const INTRODUCTION = `# Traceability

Every line of the API description and every decision, with the rule that states it and the place in the
contract that holds it. MUST and SHOULD are checked on any deployment. A line of level info is not: its
row names the decision that fills it.
`;

const HEAD = ['Line', 'Rule', 'Level', 'Statement', 'Place or decision'];

/**
 * The page `docs/reference/traceability.md`: one section a heading of the API description, in its
 * order, then one for the rules that stand on a decision alone. A rule that several lines state has a
 * row at each.
 *
 * @returns Markdown whose links are relative to `docs/reference`
 */
export function toTraceability({ rules, outline, decisions }: RuleSet): string {
  const toRow = (line: string, rule: Rule) => [
    line,
    `\`${rule.id}\``,
    rule.level,
    rule.statement,
    [...rule.places.map(toPlaceLink), ...rule.decisions.map(toDecisionLink)].join('<br>'),
  ];
  const toDecisionLink = (id: string) =>
    `[${id}](../decisions/${decisions[id as keyof typeof decisions]})`;

  const sections = new Map<string, string[][]>();
  for (const place of outline) {
    const [heading = '', ...line] = place.split(' › ');
    const stated = rules.filter((rule) => rule.source.includes(place));
    const rows = stated.map((rule) => toRow(line.join(' › '), rule));
    sections.set(heading, [...(sections.get(heading) ?? []), ...rows]);
  }
  const decided = rules.filter((rule) => rule.source.length === 0);
  sections.set(
    'Decisions alone',
    decided.map((rule) => toRow(rule.decisions.join(', '), rule)),
  );

  const text = [...sections].map(([heading, rows]) => `## ${heading}\n\n${toTable(HEAD, rows)}`);
  return [INTRODUCTION, ...text].join('\n');
}

function toPlaceLink(place: string): string {
  return `[\`${place}\`](../../${toPlaceFile(place)})`;
}
