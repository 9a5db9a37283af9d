import { expect, test } from 'vitest';
import {
  findLicenceProblems,
  listDependencies,
  READ_IN_FILES,
} from '../src/licences/list-dependencies.ts';

const read = Object.keys(READ_IN_FILES).map((id) => {
  const at = id.lastIndexOf('@');
  return { name: id.slice(0, at), version: id.slice(at + 1), license: 'Unknown' };
});

test('every dependency of a published package has a licence that is allowed', () => {
  const dependencies = listDependencies();
  // The trees of five packages.
  expect(dependencies.length).toBeGreaterThan(200);
  expect(findLicenceProblems(dependencies)).toEqual([]);
});

test.each([
  ['MIT', true],
  ['(GPL-3.0-only OR MIT)', true],
  ['(MIT AND Zlib)', false],
  ['AGPL-3.0-or-later', false],
  ['SEE LICENSE IN LICENSE.txt', false],
  ['Unknown', false],
])('of the licence %s: allowed is %s', (license, allowed) => {
  const problems = findLicenceProblems([...read, { name: 'new', version: '1.0.0', license }]);
  expect(problems).toEqual(
    allowed ? [] : [`new@1.0.0 has the licence "${license}", which is not allowed.`],
  );
});

test('a version whose files nobody has read is not treated like another version', () => {
  const [first] = read;
  const other = { name: first?.name ?? '', version: '99.0.0', license: 'Unknown' };
  expect(findLicenceProblems([...read, other])).toHaveLength(1);
  expect(findLicenceProblems(read.slice(1))).toEqual([
    `${first?.name}@${first?.version} has an entry in READ_IN_FILES, but nothing depends on it.`,
  ]);
});
