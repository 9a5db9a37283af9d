import { expect, test } from 'vitest';
import * as mock from '../src/index.ts';
import * as msw from '../src/msw/index.ts';

test('exports exactly the documented names', () => {
  expect(Object.keys(mock).sort()).toEqual(['GatewayError', 'createMock', 'events', 'routes']);
  expect(Object.keys(msw).sort()).toEqual(['GatewayError', 'events', 'mswHandlers', 'routes']);
});
