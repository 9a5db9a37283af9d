import { expect, test } from 'vitest';
import * as conformance from '../src/index.ts';

test('these names are public', () => {
  expect(Object.keys(conformance).sort()).toEqual(['StartError', 'createConformance']);
});
