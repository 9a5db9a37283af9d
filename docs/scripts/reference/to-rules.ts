import ruleSet from '@berth/spec/rules.json' with { type: 'json' };
import { toTable } from './to-table.ts';

const TOPICS: Record<string, string> = {
  GW: 'Gateway',
  AU: 'Authentication',
  ST: 'Storage',
  UP: 'Upload target',
  VR: 'Versions',
  IN: 'About the contract',
};

/** The page `docs/reference/rules.md`: every rule by its id. */
export function toRules(): string {
  const topics = Map.groupBy(ruleSet.rules, ({ id }) => id.split('-')[0] ?? '');
  const sections = [...topics].map(([prefix, rules]) => {
    const rows = rules.map(({ id, level, statement, decisions }) => [
      `\`${id}\``,
      level,
      statement,
      decisions.map(toLink).join(', '),
    ]);
    const title = TOPICS[prefix] ?? prefix;
    return `## ${title}\n\n${toTable(['Rule', 'Level', 'Statement', 'Decisions'], rows)}`;
  });
  return `# Rules

The ${ruleSet.rules.length} rules of the contract, version ${ruleSet.version} of the rule set. An id never changes its meaning.
The [conformance suite](../start/conformance.md) reports by these ids. \`MUST\` and \`SHOULD\` are checked on
any deployment; \`info\` states what cannot be checked from outside, or what only this project does. Where
each rule comes from and where it stands in the documents: [traceability](traceability.md).

${sections.join('\n')}`;
}

function toLink(id: string): string {
  return `[${id}](../decisions/${ruleSet.decisions[id as keyof typeof ruleSet.decisions]})`;
}
