import rules from '@berth/spec/rules.json' with { type: 'json' };
import { describe, expect, test } from 'vitest';
import { mutants } from '../src/mutants/index.ts';
import { testOwnRules } from './support/test-own-rules.ts';

test('every rule has a mutant', () => {
  const checkable = rules.rules.filter(({ level }) => level !== 'info').map(({ id }) => id);
  const broken = new Set<string>(mutants.map(({ rule }) => rule));
  expect(checkable.filter((id) => !broken.has(id))).toEqual([]);
});

describe('a mutant is caught by the rule that it breaks', () => testOwnRules(mutants));
