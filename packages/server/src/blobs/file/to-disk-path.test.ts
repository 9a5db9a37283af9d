import { assertFilePath } from '@berth/server-stubs/engine';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HARD_PATHS } from '../../../test/blobs/hard-paths.ts';
import { toBlobKey, toDiskPath } from './to-disk-path.ts';

const seed = Date.now();
const FORMS = ['NFC', 'NFD', 'NFKC', 'NFKD'] as const;

/** Texts that fold to each other more often than random ones. */
const segment = fc
  .oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 400 }),
    fc.string({ unit: 'grapheme', minLength: 1 }),
    fc.string({
      unit: fc.constantFrom(...'aAbB%^+~. é\u0301eEåÅ\u212bſsSßKk\u212aIİıi猫\uf900\u8c48CONcon1'),
      minLength: 1,
      maxLength: 6,
    }),
    fc.constantFrom('con', 'nul.txt', 'aux ', 'com1', ...HARD_PATHS),
  )
  .map((text) => text.replaceAll(/[\p{Cc}/]/gu, '-').toWellFormed())
  .filter((text) => text !== '.' && text !== '..');
const path = fc
  .array(segment, { minLength: 1, maxLength: 4 })
  .map((segments) => segments.join('/'))
  .filter((text) => Buffer.byteLength(text) <= 1024);

/** How a disk changes a name if it ignores case, or normalises names. */
function toFolded(diskPath: string): string[] {
  return [diskPath.toLowerCase(), diskPath.toUpperCase()].flatMap((text) =>
    FORMS.map((form) => text.normalize(form)),
  );
}

function check(property: fc.IProperty<[string]>): void {
  fc.assert(property, { seed, numRuns: 2000 });
}

function isKey(text: string): boolean {
  try {
    assertFilePath(text);
    return true;
  } catch {
    return false;
  }
}

test(`every key has a path, and the path has that key (seed ${seed})`, () => {
  check(
    fc.property(path, (text) => {
      const key = { env: 'dev', path: text };
      expect(toBlobKey(toDiskPath(key))).toEqual(key);
    }),
  );
});

test(`no disk confuses two paths, however it folds (seed ${seed})`, () => {
  const fold = fc.constantFrom<(text: string) => string>(
    (text) => text.toLowerCase(),
    (text) => text.toUpperCase(),
    (text) => text.normalize('NFC'),
    (text) => text.normalize('NFD'),
    (text) => text.normalize('NFKC'),
    (text) => text.trim(),
    (text) => encodeURIComponent(text),
    (text) => `${text}.`,
  );
  fc.assert(
    fc.property(path, fold, (one, toOther) => {
      const other = toOther(one);
      fc.pre(other !== one && isKey(other));
      const places = toFolded(toDiskPath({ env: 'dev', path: other }));
      for (const place of toFolded(toDiskPath({ env: 'dev', path: one }))) {
        expect(places).not.toContain(place);
      }
    }),
    { seed, numRuns: 2000 },
  );
});

test(`a path survives a disk that folds (seed ${seed})`, () => {
  check(
    fc.property(path, (text) => {
      const place = toDiskPath({ env: 'dev', path: text });
      expect(place.toLowerCase()).toBe(place);
      for (const form of FORMS) expect(place.normalize(form)).toBe(place);
    }),
  );
});

test(`every name in a path is safe on every disk (seed ${seed})`, () => {
  check(
    fc.property(path, (text) => {
      for (const name of toDiskPath({ env: 'dev', path: text }).split('/')) {
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
        expect(name).not.toMatch(/[<>:"|?*\\\p{Cc}]|^[. ]|[. ]$|^$/u);
        expect(name).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i);
      }
    }),
  );
});

test(`the longest paths fit in 4,096 bytes (seed ${seed})`, () => {
  const longest = Math.max(
    ...HARD_PATHS.map((text) => Buffer.byteLength(toDiskPath({ env: 'dev', path: text }))),
  );
  expect(longest).toBeLessThan(3_300);
});

test('a file is never in the way of a folder', () => {
  const file = toDiskPath({ env: 'dev', path: 'a' });
  expect(toDiskPath({ env: 'dev', path: 'a/b' }).startsWith(`${file}/`)).toBe(false);
});

test.each([
  ['Photos/Été 2026/cat.jpg', 'dev+/^photos+/%c3%89t%c3%a9 2026+/cat.jpg'],
  ['照片/猫.jpg', 'dev+/照片+/猫.jpg'],
  ['a%2Fb', 'dev+/a%252^fb'],
  ['..\\a', 'dev+/%2e.%5ca'],
  ['nul.txt', 'dev+/%6eul.txt'],
])('%j is stored at %j', (text, place) => {
  expect(toDiskPath({ env: 'dev', path: text })).toBe(place);
});

test.each(['..', '.', 'a/../b', '', '/a', 'a\0'])('%j has no path', (text) => {
  expect(() => toDiskPath({ env: 'dev', path: text })).toThrow();
});

test.each(['..', '.', 'a/b', '../..', '\0'])('the environment %j is a valid name', (env) => {
  const [folder, ...rest] = toDiskPath({ env, path: 'f' }).split('/');
  expect(folder).toMatch(/^[^.].*\+$/);
  expect(rest).toEqual(['f']);
});

test.each([
  'dev+/A',
  'dev+/%41',
  'dev+/é',
  'dev+/a+',
  'dev/a',
  'a',
  'dev+/%2',
  'dev+/a~/b',
  'dev+/.a',
])('no key has the path %j', (place) => expect(toBlobKey(place)).toBeUndefined());
