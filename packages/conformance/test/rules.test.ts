import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { checks } from '../src/checks/index.ts';
import { findRule, rules } from '../src/contract/catalog.ts';
import { mutants } from './mutants/index.ts';

test('every sentence has a check and a mutant, and every rule two mutants', () => {
  const checked = new Set<string>(checks.map(({ id }) => id));
  const broken = new Set<string>(mutants.map(({ id }) => id));
  const sentences = rules.flatMap((rule) => Object.keys(rule.sentences));
  expect(sentences.filter((id) => !checked.has(id))).toEqual([]);
  expect(sentences.filter((id) => !broken.has(id))).toEqual([]);
  const few = rules.filter(
    ({ id }) => mutants.filter((mutant) => findRule(mutant.id).id === id).length < 2,
  );
  expect(few.map(({ id }) => id)).toEqual([]);
  // Those of a sentence are next to each other.
  const inOrder = mutants.map(({ id }) => id).filter((id, at, all) => id !== all[at - 1]);
  expect(inOrder).toEqual([...broken]);
});

test('the README counts all rules', async () => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  expect(new Set(readme.match(/ of \d+ rules/g))).toEqual(new Set([` of ${rules.length} rules`]));
});
