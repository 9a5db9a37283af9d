import { expect, test } from 'vitest';
import { findLicenceProblems, listDependencies } from '../src/licences/list-dependencies.ts';

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
  const problems = findLicenceProblems([{ name: 'new', version: '1.0.0', license }]);
  expect(problems).toEqual(
    allowed ? [] : [`new@1.0.0 has the licence "${license}", which is not allowed.`],
  );
});
