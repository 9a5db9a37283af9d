import { rules } from '../checks/rules.ts';
import { ENGINES } from '../result.ts';
import { StartError } from '../start-error.ts';
import { suggest } from './suggest.ts';

const IDS = rules.map(({ id }) => id);
const OTHERS: readonly string[] = ENGINES.filter((engine) => engine !== 'rules');
/** Ids of rules have this form; those of transactions and workflows are written otherwise. */
const RULE_LIKE = /^[A-Z]{2}-/;

/**
 * Whether names are ids of rules, beginnings of them, or `dredd` or `respect`.
 *
 * @param option where they were given, for the message
 * @throws StartError that names the one that no rule has
 */
export function assertRuleNames(option: string, names: readonly string[] = []): void {
  for (const name of names) {
    if (OTHERS.includes(name) || IDS.some((id) => id.startsWith(name))) continue;
    throw new StartError(
      `${option}: no rule is called ${name}${suggest(name, [...IDS, ...OTHERS])}`,
    );
  }
}

/**
 * Whether ids are those of rules. Ids of another form, those of transactions and workflows, are not judged.
 *
 * @throws StartError that names the one that no rule has
 */
export function assertRuleIds(option: string, ids: readonly string[]): void {
  for (const id of ids) {
    if (RULE_LIKE.test(id) && !IDS.includes(id)) {
      throw new StartError(`${option}: no rule is called ${id}${suggest(id, IDS)}`);
    }
  }
}
