import { expect, it } from 'vitest';
import { findMissingDocs } from './support/public-docs.ts';

it('every public symbol is documented: with a comment, an example, and the unit of each number', () => {
  expect(findMissingDocs()).toEqual([]);
});
