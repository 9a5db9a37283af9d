import { createHash } from 'node:crypto';
import contract from '@berth/spec/rules.json' with { type: 'json' };
import { expect, test } from 'vitest';
import { ruleSets } from './rule-sets.ts';

/*
 * Red? A rule was added, dropped, reworded or given another level. Raise `version` in
 * spec/rules/index.yaml, and add the set of the new version here; the old ones stay as they are.
 */
test('the rules are those that stand frozen under their version', () => {
  const current = contract.rules
    .filter(({ level }) => level !== 'info')
    .map(({ id, level, statement }) => {
      const sha256 = createHash('sha256').update(statement).digest('hex').slice(0, 16);
      return [id, { level, sha256 }];
    });
  const frozen = ruleSets.find(({ version }) => version === contract.version);
  expect(Object.fromEntries(current)).toEqual(frozen?.rules);
  expect(contract.documents).toEqual(frozen?.documents);
});

test('a newer set stands after an older one', () => {
  const versions = ruleSets.map(({ version }) => version);
  const sorted = versions.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  expect(versions).toEqual(sorted);
});
