import { expect, test } from 'vitest';
import * as mock from './index.ts';
import * as msw from './msw/index.ts';

test('exports exactly the documented names', () => {
  expect(Object.keys(mock).sort()).toEqual(['GatewayError', 'createMock', 'events', 'routes']);
  expect(Object.keys(msw).sort()).toEqual(['GatewayError', 'events', 'mswHandlers', 'routes']);
});
