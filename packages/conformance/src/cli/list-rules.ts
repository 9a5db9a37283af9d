import { checks } from '../checks/index.ts';
import { type Rule, rules } from '../checks/rules.ts';
import type { Given } from './options/options.ts';

/** `--list`: the rules that are checked, as lines or as one JSON text. */
export function listRules({ only, skip = [], level, json }: Given): string[] {
  const isNamed = ({ id }: Rule, names: readonly string[]) =>
    names.some((name) => id.startsWith(name));
  const wanted = rules.filter(
    (rule) =>
      (only === undefined || isNamed(rule, only)) &&
      !isNamed(rule, skip) &&
      !(level === 'must' && rule.level !== 'must'),
  );
  const listed = wanted.map((rule) => ({ ...rule, needs: findNeeds(rule.id) }));
  if (json) return [JSON.stringify(listed, null, 2)];
  return [
    ...listed.flatMap(({ id, level: own, needs, statement, source, decisions }) => [
      `${id} (${own.toUpperCase()}${needs.length > 0 ? `, needs ${needs.join(', ')}` : ''})`,
      `  ${statement}`,
      ...(source.length + decisions.length > 0
        ? [`  ${[...source, ...decisions].join('; ')}`]
        : []),
    ]),
    `${listed.length} rules`,
  ];
}

function findNeeds(id: string): readonly string[] {
  return checks.find(({ rule }) => rule === id)?.needs ?? [];
}
