import { describe, expect, test } from 'vitest';
import { findViolation } from './check-history.ts';
import { parseHistory } from './history.ts';

const onDisk = { isMoveAtomic: true };
const onS3 = { isMoveAtomic: false };

const isPossible = (text: string, options = onDisk) =>
  findViolation(parseHistory(text), options) === undefined;

describe('a history is possible if', () => {
  test.each([
    ['a read follows its upload', '0..1 upload a x\n2..3 read a x'],
    ['a read sees an upload in progress', '0..3 upload a x\n1..2 read a x'],
    [
      'an upload without a response had its effect much later',
      '0..? upload a x\n1..2 read a missing\n3..4 delete a missing\n5..6 read a x',
    ],
    ['one of two deletions succeeds', '0..1 upload a x\n2..5 delete a ok\n3..4 delete a missing'],
    [
      'an upload overtakes a move of its file',
      '0..1 upload a x\n2..5 move a b ok\n3..4 upload a y\n6..7 read a y\n8..9 read b x',
    ],
    [
      'a copy takes the version that an upload then replaces',
      '0..1 upload a x\n2..9 copy a b ok\n3..4 upload a y\n5..6 read b missing\n10..11 read b x',
    ],
    [
      'a move without a response has only copied',
      '0..1 upload a x\n2..? move a b ok\n3..4 read b x\n5..6 read a x',
      onS3,
    ],
  ])('%s', (_, text, options = onDisk) => {
    expect(isPossible(text, options)).toBe(true);
  });
});

describe('a history is impossible if', () => {
  test.each([
    ['an acknowledged upload is lost', '0..1 upload a x\n2..3 read a missing'],
    ['a file is damaged', '0..1 upload a x\n2..3 read a damaged'],
    ['a read returns an older version', '0..1 upload a x\n2..3 upload a y\n4..5 read a x'],
    [
      'two reads see two uploads in different orders',
      '0..9 upload a x\n1..8 upload a y\n10..11 read a x\n12..13 read a y',
    ],
    ['two deletions succeed', '0..1 upload a x\n2..5 delete a ok\n3..4 delete a ok'],
    [
      'two copies that must not replace a file succeed',
      '0..1 upload a x\n2..5 copy-new a b ok\n3..4 copy-new a b ok',
    ],
    [
      'a move deletes the upload that it did not copy',
      '0..1 upload a x\n2..5 move a b ok\n3..4 upload a y\n6..7 read a missing\n8..9 read b x',
    ],
    [
      'a reader finds both files of a move, on disk',
      '0..1 upload a x\n2..7 move a b ok\n3..4 read b x\n5..6 read a x',
    ],
    ['a deleted file comes back', '0..1 upload a x\n2..3 delete a ok\n4..5 read a x'],
  ])('%s', (_, text) => {
    expect(isPossible(text)).toBe(false);
  });
});
