import { expect, test } from 'vitest';
import * as conformance from '../src/index.ts';

test('exports only these names', () => {
  expect(Object.keys(conformance).sort()).toEqual(['StartError', 'createConformance']);
});
