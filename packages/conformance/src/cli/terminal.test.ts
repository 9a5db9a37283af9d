import { PassThrough } from 'node:stream';
import { afterEach, expect, test, vi } from 'vitest';
import { sampleResult } from '../../test/support/sample-report.ts';
import { createProgress } from './check.ts';
import { createTerminal } from './terminal.ts';

/** Piece by piece: Node 26 gives one with each read, Node 24 all. */
function readAll(stream: PassThrough, text = ''): string {
  const piece = stream.read();
  return piece === null ? text : readAll(stream, text + piece);
}

/** One stream for both, so that the order is seen. */
function openStream(): { stream: NodeJS.WriteStream; read: () => string } {
  const stream = new PassThrough();
  return {
    stream: Object.assign(stream, { columns: 20 }) as unknown as NodeJS.WriteStream,
    read: () => readAll(stream),
  };
}

test('a line is written above the progress, which is cut to the width of the terminal', () => {
  const { stream, read } = openStream();
  const terminal = createTerminal(stream, stream, true);
  terminal.progress?.('12 checks, 0 failed, 3 s');
  expect(read()).toBe('\r\u001b[2K12 checks, 0 failed');
  terminal.out('pass');
  expect(read()).toBe('\r\u001b[2Kpass\n12 checks, 0 failed');
  terminal.progress?.('');
  terminal.error('end');
  expect(read()).toBe('\r\u001b[2Kend\n');
});

test('progress counts what came, and leaves nothing behind', () => {
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

test('nobody watches: no progress', () => {
  const { stream, read } = openStream();
  const terminal = createTerminal(stream, stream, false);
  createProgress(terminal).begin();
  terminal.out('pass');
  expect(read()).toBe('pass\n');
});

afterEach(() => vi.unstubAllEnvs());

test.each([
  ['neither', {}, 'pass'],
  ['FORCE_COLOR', { FORCE_COLOR: '1' }, '\u001b[32mpass\u001b[39m'],
  ['NO_COLOR', { NO_COLOR: '1' }, 'pass'],
])('colours obey %s', (_, env: Record<string, string>, painted) => {
  for (const name of ['FORCE_COLOR', 'NO_COLOR']) vi.stubEnv(name, env[name]);
  const { stream } = openStream();
  expect(createTerminal(stream, stream, false).paint?.('green', 'pass')).toBe(painted);
});
