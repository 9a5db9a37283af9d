import { expect, it } from 'vitest';
import { findJsonProblem, parseJson } from './parse-json.ts';

it.each([
  ['{"a":[1,{"b":null}]}', { a: [1, { b: null }] }],
  ['"\\u4e2d"', '中'],
  ['{"constructor":"Smith","prototype":1}', { constructor: 'Smith', prototype: 1 }],
  ['{"constructor":null,"a":{"constructor":{}}}', { constructor: null, a: { constructor: {} } }],
  ['["__proto__"]', ['__proto__']],
  ['[9007199254740992,1e30,0.12345678901234567890]', [2 ** 53, 1e30, 0.12345678901234568]],
  ['{"9007199254740993":"\\"9007199254740993"}', { '9007199254740993': '"9007199254740993' }],
])('parses %s', (text, value) => {
  expect(parseJson(text, 64)).toEqual({ problem: undefined, value });
});

it.each([
  ['', /cannot be parsed/],
  ['{"a":1,}', /position 7/],
  ['{"__proto__":{}}', /forbidden key __proto__/],
  ['{"a":[{"\\u005f_proto__":1}]}', /forbidden key __proto__/],
  ['{"constructor":{"prototype":{}}}', /forbidden key constructor/],
  ['{"constructor":{"\\u0070rototype":{}}}', /forbidden key constructor/],
  [
    '{"id":9007199254740993}',
    /^contains the integer 9007199254740993, which exceeds the precision of a number$/,
  ],
  ['["a\\"",-9007199254740993]', /integer -9007199254740993/],
  [`[1${'0'.repeat(400)}]`, /which exceeds the precision of a number/],
  [`[${'9'.repeat(41)}]`, /^contains the integer 9{40}…, which/],
])('refuses %s', (text, problem) => {
  expect(parseJson(text, 64).problem).toMatch(problem);
});

it('counts levels, but no brackets inside strings', () => {
  const nest = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  expect(parseJson(nest(64), 64).problem).toBeUndefined();
  expect(parseJson(nest(65), 64).problem).toBe('is nested deeper than 64 levels');
  expect(parseJson(JSON.stringify(['['.repeat(500), '\\"[{', '\\']), 2).problem).toBeUndefined();
  for (const item of [{}, []])
    expect(parseJson(JSON.stringify(Array(500).fill(item)), 2).problem).toBeUndefined();
  expect(parseJson('['.repeat(1_000_000), 64).problem).toBe('is nested deeper than 64 levels');
});

it('checks values that were parsed elsewhere', () => {
  expect(findJsonProblem(JSON.parse('{"a":{"__proto__":1}}'), 64)).toMatch(/__proto__/);
  expect(findJsonProblem([[[]]], 2)).toMatch(/deeper/);
  expect(findJsonProblem([[]], 2)).toBeUndefined();
});
