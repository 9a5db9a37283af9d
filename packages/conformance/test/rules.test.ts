import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checks } from '../src/checks/index.ts';
import { findRule, rules } from '../src/contract/catalog.ts';
import { mutants } from './mutants/index.ts';

test('every sentence has a check and a mutant, and every rule two mutants', () => {
  const checked = new Set<string>(checks.map(({ sentence }) => sentence));
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

test('the README counts all rules', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  expect(new Set(readme.match(/ of \d+ rules/g))).toEqual(new Set([` of ${rules.length} rules`]));
});

/** The folders and files of `src/`, each of which imports only from itself and those before it. */
const ORDER =
  'errors.ts json.ts manifest.ts generated contract http results options.ts read-options.ts invariants run checks engines report';
const LAYERS = ORDER.split(' ');

test.each(LAYERS)('%s imports only from the layers before it', (name) => {
  const src = new URL('../src/', import.meta.url);
  const pattern = name.endsWith('.ts') ? name : `${name}/*.{ts,cts}`;
  const files = globSync(pattern, { cwd: src, exclude: ['**/*.test.ts'] });
  const imported = files.flatMap((file) => {
    const url = new URL(file, src);
    const paths = readFileSync(url, 'utf8').matchAll(/(?:from |import\()'(\.[^']+)'/g);
    return [...paths].map(([, path = '']) => new URL(path, url).href);
  });
  const inSource = imported.filter((href) => href.startsWith(src.href));
  const layers = inSource.map((href) => href.slice(src.href.length).split('/', 1).join());
  const allowed = LAYERS.slice(0, LAYERS.indexOf(name) + 1);
  expect(layers.filter((layer) => !allowed.includes(layer))).toEqual([]);
  expect(files).not.toEqual([]);
});
