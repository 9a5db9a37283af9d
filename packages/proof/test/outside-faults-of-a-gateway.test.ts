import { describe } from 'vitest';
import { fromOutside } from '../src/mutants/from-outside/index.ts';
import { takeTurn } from './support/take-turn.ts';
import { testOwnRules } from './support/test-own-rules.ts';

const faults = fromOutside.filter(({ rule }) => /^(GW|AU)-/.test(rule));

describe('a fault from outside is caught by the rule that it breaks: a tenth, by turns', () =>
  testOwnRules(takeTurn(faults, 10)));
