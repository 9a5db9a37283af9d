import { expect, test } from 'vitest';
import * as mock from './index.ts';

test('the package exports what it promises and nothing more', () => {
  expect(Object.keys(mock)).toEqual([
    'GatewayError',
    'createMock',
    'mockFixture',
    'defineService',
    'defineServices',
  ]);
});
