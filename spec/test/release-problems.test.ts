import { expect, it } from 'vitest';
import { findReleaseProblems } from '../scripts/check-version.ts';

const LINKED = ['@berth/spec', '@berth/client', '@berth/mock'];
const spec = { name: '@berth/spec', type: 'minor' };
const client = { name: '@berth/client', type: 'patch' };
const mock = { name: '@berth/mock', type: 'patch' };

it('accepts a release with all packages generated from the contract', () => {
  expect(findReleaseProblems([spec, client, mock], LINKED)).toEqual([]);
});

it('names the packages that would not be released', () => {
  const resting = { ...client, type: 'none' };
  expect(findReleaseProblems([spec, resting, mock], LINKED)).toEqual([
    expect.stringMatching(
      /^@berth\/client is generated from the contract but would not be released/,
    ),
  ]);
});

it('accepts a package released without the contract', () => {
  expect(findReleaseProblems([client], LINKED)).toEqual([]);
  expect(findReleaseProblems([{ ...spec, type: 'none' }, client], LINKED)).toEqual([]);
});
