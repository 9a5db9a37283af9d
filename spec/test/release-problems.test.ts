import { expect, it } from 'vitest';
import { findReleaseProblems } from '../scripts/check-version.ts';

const LINKED = ['@berth/spec', '@berth/client', '@berth/mock'];
const spec = { name: '@berth/spec', type: 'minor' };
const client = { name: '@berth/client', type: 'patch' };
const mock = { name: '@berth/mock', type: 'patch' };

it('is content where all that is made from the contract is released with it', () => {
  expect(findReleaseProblems([spec, client, mock], LINKED)).toEqual([]);
});

it('names the packages that would stay behind', () => {
  const resting = { ...client, type: 'none' };
  expect(findReleaseProblems([spec, resting, mock], LINKED)).toEqual([
    expect.stringMatching(/^@berth\/client is made from the contract and would not be released/),
  ]);
});

it('leaves a package alone that is released without the contract', () => {
  expect(findReleaseProblems([client], LINKED)).toEqual([]);
  expect(findReleaseProblems([{ ...spec, type: 'none' }, client], LINKED)).toEqual([]);
});
