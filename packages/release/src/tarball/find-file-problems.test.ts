import { expect, test } from 'vitest';
import { findFileProblems } from './find-file-problems.ts';

const MANIFEST = {
  name: '@berth/one',
  version: '1.0.0',
  files: ['dist'],
  bin: { one: './dist/cli.js' },
  exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' } },
};
const FILES = ['package.json', 'README.md', 'LICENSE'].concat(
  ['cli.js', 'index.js', 'index.d.ts'].map((name) => `dist/${name}`),
);
const without = (path: string) => FILES.filter((file) => file !== path);

test('accepts the files that the manifest names', () => {
  expect(findFileProblems(MANIFEST, FILES)).toEqual([]);
  const manifest = { ...MANIFEST, files: ['CHANGELOG.md', 'dist'] };
  for (const files of [FILES, [...FILES, 'CHANGELOG.md']]) {
    expect(findFileProblems(manifest, files)).toEqual([]);
  }
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
])('reports a fault, %#', (files, problem) => {
  expect(findFileProblems(MANIFEST, files)).toEqual([problem]);
});

test('reports a folder that was never built', () => {
  const manifest = { ...MANIFEST, files: ['dist', 'generated'] };
  expect(findFileProblems(manifest, FILES)).toEqual(['"files" names generated/, which is empty.']);
});
