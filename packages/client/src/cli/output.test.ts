import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { createProgress } from './output.ts';

async function draw(isTTY: boolean, options = {}): Promise<string> {
  const terminal = Object.assign(new PassThrough(), { isTTY, columns: 80 });
  const progress = createProgress(options, terminal as never);
  progress.expect('a', 1_500_000);
  progress.expect('b', 500_000);
  progress.set('a', 1_500_000);
  progress.set('a', 500_000);
  progress.set('b', 500_000);
  progress.stop();
  terminal.end();
  return text(terminal);
}

it('draws a bar on a terminal, without colour', async () => {
  const drawn = await draw(true);
  expect(drawn).toMatch(/#+-+.* 50%.*1\.0 MB of 2\.0 MB/);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences of colours
  expect(drawn).not.toMatch(/\u001b\[[\d;]*m/);
});

it.each([
  ['without a terminal', false, {}],
  ['with --quiet', true, { quiet: true }],
  ['with --json', true, { json: true }],
])('draws nothing %s', async (_, isTTY, options) => {
  expect(await draw(isTTY, options)).toBe('');
});
