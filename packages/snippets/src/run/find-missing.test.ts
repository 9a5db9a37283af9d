import { expect, test } from 'vitest';
import { findMissing } from './find-missing.ts';

test.each([
  [['b', 'd'], 'a\nb\nc\nd\n', undefined],
  [['d', 'b'], 'a\nb\nc\nd\n', 'b'],
  [['b'], 'bb\n', 'b'],
  [['{"id":"…"}'], '{"id":"5f3a"}\n', undefined],
  [['{"a":[1,', ' 2]}', 'end'], '{"a":[1,2]}\nend\n', undefined],
  [[' ✓ a.test.ts (2 tests)', '', '…'], ' ✓ a.test.ts (2 tests) 23ms\n', undefined],
])('%j in %j', (shown, printed, missing) => expect(findMissing(shown, printed)).toBe(missing));
