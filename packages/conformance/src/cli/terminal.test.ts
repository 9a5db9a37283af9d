import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { sampleResult } from '../../test/support/sample-report.ts';
import { createProgress } from './check.ts';
import { createTerminal } from './terminal.ts';

/** One stream for both outputs, so that their order is visible. */
function openStream() {
  let written = '';
  const stream = new PassThrough().on('data', (text) => {
    written += text;
  });
  return {
    stream: Object.assign(stream, { columns: 20 }) as unknown as NodeJS.WriteStream,
    /** Returns what was written since the last call. */
    async read() {
      await setImmediate();
      const text = written;
      written = '';
      return text;
    },
  };
}

test('lines are printed above the progress line, which is truncated to the width of the terminal', async () => {
  const { stream, read } = openStream();
  const terminal = createTerminal(stream, stream, true);
  terminal.progress?.('12 checks, 0 failed, 3 s');
  expect(await read()).toBe('\r\u001b[2K12 checks, 0 failed');
  terminal.out('pass');
  expect(await read()).toBe('\r\u001b[2Kpass\n12 checks, 0 failed');
  terminal.progress?.('');
  terminal.error('end');
  expect(await read()).toBe('\r\u001b[2Kend\n');
});

test('the progress line counts the results, and is removed at the end', () => {
  const shown: string[] = [];
  const output = { out: () => {}, error: () => {}, progress: (text: string) => shown.push(text) };
  const progress = createProgress(output);
  progress.begin();
  progress.add(sampleResult());
  progress.add(sampleResult({ outcome: 'fail' }));
  progress.end();
  expect(shown).toEqual([
    '0 checks, 0 failed, 0 s',
    '1 checks, 0 failed, 0 s',
    '2 checks, 1 failed, 0 s',
    '',
  ]);
});

test('there is no progress line without a terminal', async () => {
  const { stream, read } = openStream();
  const terminal = createTerminal(stream, stream, false);
  createProgress(terminal).begin();
  terminal.out('pass');
  expect(await read()).toBe('pass\n');
});

afterEach(() => vi.unstubAllEnvs());

test.each([
  ['neither', {}, 'pass'],
  ['FORCE_COLOR', { FORCE_COLOR: '1' }, '\u001b[32mpass\u001b[39m'],
  ['NO_COLOR', { NO_COLOR: '1' }, 'pass'],
])('colours respect %s', (_, env: Record<string, string>, painted) => {
  for (const name of ['FORCE_COLOR', 'NO_COLOR']) vi.stubEnv(name, env[name]);
  const { stream } = openStream();
  expect(createTerminal(stream, stream, false).paint?.('green', 'pass')).toBe(painted);
});
