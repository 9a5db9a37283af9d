import { expect, test } from 'vitest';
import { readPreferences } from './read-preferences.ts';

test.each([
  [undefined, undefined],
  ['', undefined],
  ['return=minimal', undefined],
  ['seed=a', undefined],
  ['code=404', { dynamic: false, code: 404 }],
  ['example="a b"', { dynamic: false, exampleKey: 'a b' }],
  ['dynamic=true, seed=7, code=200', { dynamic: true, seed: '7', code: 200 }],
  ['dynamic=false', { dynamic: false }],
])('%s', (header, expected) => {
  expect(readPreferences(header)).toEqual(expected);
});

test.each(['code', 'code=', 'code=1000', 'code=199', 'code=600', 'code=4O4', 'dynamic', 'example'])(
  '%s is refused',
  (header) => {
    expect(readPreferences(header)).toHaveProperty('fault');
  },
);
