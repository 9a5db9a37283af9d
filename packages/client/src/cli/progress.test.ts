import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { createProgress } from './progress.ts';

function draw(isTTY: boolean, options = {}): string {
  const terminal = Object.assign(new PassThrough(), { isTTY, columns: 80 });
  const progress = createProgress(options, terminal as never);
  progress.expect('a', 1_500_000);
  progress.expect('b', 500_000);
  progress.set('a', 1_500_000);
  progress.set('a', 500_000);
  progress.set('b', 500_000);
  progress.stop();
  return String(terminal.read() ?? '');
}

it('draws a bar on a terminal, without colour', () => {
  const text = draw(true);
  expect(text).toMatch(/#+-+.* 50%.*1\.0 MB of 2\.0 MB/);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences of colours
  expect(text).not.toMatch(/\u001b\[[\d;]*m/);
});

it.each([
  ['where there is no terminal', false, {}],
  ['with --quiet', true, { quiet: true }],
  ['with --json', true, { json: true }],
])('draws nothing %s', (_, isTTY, options) => {
  expect(draw(isTTY, options)).toBe('');
});
