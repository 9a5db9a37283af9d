import { expect, test } from 'vitest';
import { findManifestProblems, namesItsPlace } from './find-manifest-problems.ts';

const MANIFEST = {
  name: '@berth/one',
  version: '1.0.0',
  description: 'One.',
  keywords: ['one'],
  license: 'Apache-2.0',
  type: 'module',
  engines: { node: '>=22.12' },
  files: ['CHANGELOG.md', 'dist'],
  exports: { '.': './dist/index.js' },
  dependencies: { '@berth/spec': '1.0.0' },
};
const PUBLISHED = ['@berth/one', '@berth/spec'];
const PLACE = { repository: { url: 'git+https://git.example/one' }, homepage: 'h', bugs: 'b' };

test('accepts a complete manifest, with or without its repository', () => {
  expect(findManifestProblems(MANIFEST, PUBLISHED)).toEqual([]);
  expect(namesItsPlace(MANIFEST)).toBe(false);
  expect(findManifestProblems({ ...MANIFEST, ...PLACE }, PUBLISHED)).toEqual([]);
  expect(namesItsPlace({ ...MANIFEST, ...PLACE })).toBe(true);
});

test.each([
  [{ description: '' }, '"description" is missing.'],
  [{ keywords: [] }, '"keywords" is missing.'],
  [{ files: ['dist'] }, '"files" lacks CHANGELOG.md, which npm does not add.'],
  [{ license: 'MIT' }, '"license" does not match LICENSE, Apache-2.0.'],
  [{ engines: { node: '22' } }, '"engines.node" is not a minimum version such as ">=22.12".'],
  [
    { exports: { '.': { 'berth-source': './src/index.ts' } } },
    '"berth-source" is only valid in this repository.',
  ],
  [{ dependencies: { ws: 'catalog:' } }, '"catalog:" is only valid in this repository.'],
  [
    { dependencies: { '@berth/codegen': '0.0.0' } },
    'The package depends on @berth/codegen, which is private.',
  ],
  [
    { ...PLACE, bugs: undefined },
    '"bugs" is missing: set all or none of repository, homepage, bugs.',
  ],
])('reports a fault, %#', (change, problem) => {
  expect(findManifestProblems({ ...MANIFEST, ...change }, PUBLISHED)).toEqual([problem]);
});
