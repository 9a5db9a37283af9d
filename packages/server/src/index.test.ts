import { expect, test } from 'vitest';
import * as server from './index.ts';

test('exports the public API and nothing else', () => {
  expect(Object.keys(server).sort()).toEqual(['ConfigError', 'createServer']);
});
