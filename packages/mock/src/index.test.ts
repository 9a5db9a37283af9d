import { expect, test } from 'vitest';
import * as mock from './index.ts';

test('exports exactly the documented names', () => {
  expect(Object.keys(mock)).toEqual([
    'GatewayError',
    'createMock',
    'defineService',
    'defineServices',
  ]);
});
