import { readdir, readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import storage from '@berth/spec/storage.v2.json' with { type: 'json' };
import profile from '@berth/spec/wire-profile.schema.json' with { type: 'json' };
import { expect, test } from 'vitest';
import { createScrubber } from '../../src/observe/create-log.ts';

/** After these a slash starts a pattern; after anything else it divides. */
const BEFORE_PATTERN = /(?:^|[(,=:[!&|?{};>]|\breturn|\bcase)\s*$/;

const folderOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const CONTRACT = [
  ...patternsIn(gateway, 'gateway'),
  ...patternsIn(storage, 'storage'),
  ...patternsIn(profile, 'profile'),
];

const SERVER = await collectPatterns(folderOf('../../src'));
const STUBS = await collectPatterns(folderOf('../../../server-stubs/src'));
const MOCK = await collectPatterns(folderOf('../../../mock/src'));

/** Characters for most character classes. */
const SAMPLES = [
  'a',
  'A',
  '0',
  ' ',
  '\t',
  '\n',
  '-',
  '_',
  '.',
  '/',
  '=',
  ',',
  ';',
  ':',
  '"',
  '\\',
  '%',
  'é',
  '中',
];

/** Enough for quadratic growth to take several times as long as noise. Bodies are not parsed with patterns. */
const LONG = 4_000;

/** Shorter times are noise: quadratic growth takes a hundred times as long. */
const QUICK_MILLISECONDS = 2;

test('finds patterns everywhere', () => {
  expect(CONTRACT.length).toBeGreaterThanOrEqual(2);
  expect(SERVER.length).toBeGreaterThan(30);
  expect(STUBS.length).toBeGreaterThan(30);
  expect(findBlowUp({ place: 'bad', pattern: /^(\w+)*=$/ })).toMatch(/^bad: /);
  expect(findBlowUp({ place: 'bad', pattern: /\s+$/ })).toMatch(/^bad: /);
});

test.each([
  ['contract', CONTRACT],
  ['server', SERVER],
  ['server stubs', STUBS],
  ['mock', MOCK],
] as const)('every pattern of the %s takes linear time', (_, patterns) => {
  expect(patterns.map(findBlowUp).filter((problem) => problem !== undefined)).toEqual([]);
});

test('redacts a log line in linear time, however many secrets there are', () => {
  const scrub = createScrubber(Array.from({ length: 500 }, (_, at) => `secret number ${at}`));
  const started = process.cpuUsage();
  for (const piece of [
    'secret number ',
    'eyJaaaaaaaaaa.',
    '-eyJaaaaaaaa',
    'Bearer ',
    '&token=',
    'Token=',
  ]) {
    scrub(piece.repeat(64_000 / piece.length));
  }
  expect(process.cpuUsage(started).user).toBeLessThan(500_000);
});

/** A pattern, and its location. */
interface Found {
  readonly place: string;
  readonly pattern: RegExp;
}

/** Every literal pattern in the sources of a folder, except tests. */
async function collectPatterns(folder: string): Promise<Found[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found: Found[] = [];
  for (const entry of entries) {
    if (!entry.isFile() || !/(?<!\.test|\.d)\.ts$/.test(entry.name)) continue;
    const file = join(entry.parentPath, entry.name);
    const place = relative(folder, file);
    const code = stripTypeScriptTypes(await readFile(file, 'utf8'));
    for (const pattern of patternsOf(code)) found.push({ place: `${place} ${pattern}`, pattern });
  }
  return found;
}

/** Skips strings, templates and comments, and returns the patterns between them. */
function patternsOf(code: string): RegExp[] {
  const found: RegExp[] = [];
  const token =
    /\/\/.*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`|\//g;
  let before = '';
  let from = 0;
  for (let match = token.exec(code); match !== null; match = token.exec(code)) {
    const text = match[0];
    before = before.slice(-40) + code.slice(from, match.index);
    from = token.lastIndex;
    if (text === '/' && BEFORE_PATTERN.test(before)) {
      const literal = /\/((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+)\/([dgimsuvy]*)/y;
      literal.lastIndex = match.index;
      const [whole, source = '', flags] = literal.exec(code) ?? [];
      if (whole === undefined)
        throw new Error(`No pattern: ${code.slice(match.index).slice(0, 80)}`);
      found.push(new RegExp(source, flags));
      token.lastIndex = from = match.index + whole.length;
      before += 'x';
    } else if (!text.startsWith('//') && !text.startsWith('/*')) {
      before += text === '/' ? text : 'x';
    }
  }
  return found;
}

/** Every `pattern` of a document. */
function patternsIn(document: unknown, place: string): Found[] {
  if (typeof document !== 'object' || document === null) return [];
  return Object.entries(document).flatMap(([name, value]) => {
    const at = `${place}/${name}`;
    return /pattern$/i.test(name) && typeof value === 'string'
      ? [{ place: `${at} ${value}`, pattern: new RegExp(value, 'u') }]
      : patternsIn(value, at);
  });
}

/** Texts of one repeated piece that make a pattern backtrack. */
function* attacksOn({ source }: RegExp): Generator<(length: number) => string> {
  const words = source.replace(/\\[a-z]/gi, ' ').match(/[\w-]{2,}/g) ?? [];
  const pieces = new Set([...SAMPLES, ...words]);
  for (const word of words) for (const sample of SAMPLES) pieces.add(word + sample);
  for (const word of words) pieces.add(`-${word}aaaaaaaa`);
  for (const one of SAMPLES) for (const other of SAMPLES) pieces.add(one + other);
  for (const piece of pieces) {
    const fill = (length: number) => piece.repeat(Math.ceil(length / piece.length));
    for (const start of ['', ...words.slice(0, 3)]) {
      for (const end of ['', '\u0001']) yield (length) => start + fill(length) + end;
    }
  }
}

/** Milliseconds of processor time, the shortest of some runs: other load can only add to it. */
function time(pattern: RegExp, text: string, runs: number): number {
  const all = new RegExp(pattern.source, `${pattern.flags.replace(/[gy]/g, '')}g`);
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs && least > QUICK_MILLISECONDS; run += 1) {
    const started = process.cpuUsage();
    text.replace(all, '');
    const { user, system } = process.cpuUsage(started);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

function findBlowUp({ place, pattern }: Found): string | undefined {
  for (const attack of attacksOn(pattern)) {
    // Short ones first, so that exponential growth does not block the test.
    for (const length of [12, 24, 32, LONG / 4, LONG]) {
      const took = time(pattern, attack(length), 5);
      if (took <= QUICK_MILLISECONDS) continue;
      const before = time(pattern, attack(length / 4), 20);
      // Four times the length: four times the time if linear, sixteen if quadratic.
      if (took > 8 * before) {
        return `${place}: ${JSON.stringify(attack(40))} took ${took} ms, a quarter of it ${before} ms`;
      }
    }
  }
  return undefined;
}
