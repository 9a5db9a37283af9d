import { expect, test } from 'vitest';
import * as server from './index.ts';

test('the package exports what it promises and nothing more', () => {
  expect(Object.keys(server).sort()).toEqual(['ConfigError', 'createServer', 'loadConfig']);
});
