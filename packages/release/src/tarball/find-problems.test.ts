import { expect, test } from 'vitest';
import { findProblems, namesItsPlace } from './find-problems.ts';

const MANIFEST = {
  name: '@berth/one',
  version: '1.0.0',
  description: 'One.',
  keywords: ['one'],
  license: 'Apache-2.0',
  type: 'module',
  engines: { node: '>=22.12' },
  files: ['CHANGELOG.md', 'dist'],
  bin: { one: './dist/cli.js' },
  exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
  dependencies: { '@berth/spec': '1.0.0' },
};
const FILES = ['package.json', 'README.md', 'LICENSE'].concat(
  ['cli.js', 'index.js', 'index.d.ts'].map((name) => `dist/${name}`),
);
const PLACE = { repository: { url: 'git+https://git.example/one' }, homepage: 'h', bugs: 'b' };

const find = (change: object, files = FILES) =>
  findProblems({ ...MANIFEST, ...change }, files, ['@berth/one', '@berth/spec']);
const without = (path: string) => FILES.filter((file) => file !== path);

test('accepts a complete package, with or without its repository and its changelog', () => {
  expect(find({})).toEqual([]);
  expect(find({}, [...FILES, 'CHANGELOG.md'])).toEqual([]);
  expect(namesItsPlace(MANIFEST)).toBe(false);
  expect(find(PLACE)).toEqual([]);
  expect(namesItsPlace({ ...MANIFEST, ...PLACE })).toBe(true);
});

test.each([
  [{ description: '' }, '"description" is missing.'],
  [{ keywords: [] }, '"keywords" is missing.'],
  [{ files: ['dist'] }, '"files" lacks CHANGELOG.md, which npm does not add.'],
  [{ files: ['CHANGELOG.md', 'dist', 'generated'] }, '"files" names generated/, which is empty.'],
  [{ license: 'MIT' }, '"license" does not match LICENSE, Apache-2.0.'],
  [{ engines: { node: '22' } }, '"engines.node" is not a minimum version such as ">=22.12".'],
  [
    { imports: { '#a': { 'berth-source': '#b' } } },
    '"berth-source" is only valid in this repository.',
  ],
  [{ dependencies: { ws: 'catalog:' } }, '"catalog:" is only valid in this repository.'],
  [
    { dependencies: { '@berth/runtimes': '0.0.0' } },
    'The package depends on @berth/runtimes, which is private.',
  ],
  [
    { ...PLACE, bugs: undefined },
    '"bugs" is missing: set all or none of repository, homepage, bugs.',
  ],
])('reports a fault of the manifest, %#', (change, problem) => {
  expect(find(change)).toEqual([problem]);
});

test.each([
  [without('LICENSE'), 'LICENSE is missing.'],
  [without('dist/cli.js'), 'The manifest refers to ./dist/cli.js, which is not in the tarball.'],
  [
    without('dist/index.d.ts'),
    'The manifest refers to ./dist/index.d.ts, which is not in the tarball.',
  ],
  [[...FILES, 'src/index.ts'], 'src/index.ts is not among "files".'],
  [[...FILES, 'dist/a.test.js'], 'dist/a.test.js must not be published.'],
  [[...FILES, 'dist/.env'], 'dist/.env must not be published.'],
])('reports a fault of the files, %#', (files, problem) => {
  expect(find({}, files)).toEqual([problem]);
});
