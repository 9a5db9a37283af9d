import { expect, it } from 'vitest';
import type { ScalarType } from '../route-table.ts';
import { coerce } from './to-value.ts';

it.each<[string, readonly ScalarType[], unknown]>([
  ['12', ['integer'], 12],
  ['12', ['string'], '12'],
  ['12', ['integer', 'string'], 12],
  ['1.5', ['integer'], '1.5'],
  ['1.5', ['integer', 'number'], 1.5],
  ['1e2', ['integer'], 100],
  ['-0.5', ['number'], -0.5],
  ['1e999', ['number'], '1e999'],
  ['9007199254740993', ['integer', 'string'], '9007199254740993'],
  ['', ['number'], ''],
  [' 1', ['number'], ' 1'],
  ['+1', ['number'], '+1'],
  ['0x1', ['number'], '0x1'],
  ['Infinity', ['number'], 'Infinity'],
  ['true', ['boolean'], true],
  ['false', ['boolean', 'string'], false],
  ['TRUE', ['boolean'], 'TRUE'],
  ['null', ['null', 'string'], null],
  ['', ['null', 'integer'], null],
  ['', ['null', 'string'], ''],
])('%s as %j is %j', (text, types, expected) => {
  expect(coerce(text, types)).toBe(expected);
});
