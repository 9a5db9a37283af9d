import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { startFixture } from '../fixture/server.mjs';

const program = fileURLToPath(new URL('../fixture/server.mjs', import.meta.url));
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

function run(args: string[], env = {}) {
  const child = spawn(process.execPath, [program, ...args], { env: { ...process.env, ...env } });
  children.push(child);
  child.stdout.setEncoding('utf8');
  child.stderr.setEncoding('utf8');
  return child;
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  'it says where it listens, and %s ends it',
  async (signal) => {
    const child = run([], { PORT: '0' });
    const [line] = await once(child.stdout, 'data');
    const [, url] =
      /^The conformance fixture \(protocol 1\) is listening on (http:\/\/127\.0\.0\.1:\d+)\n$/.exec(
        line,
      ) ?? [];
    const held = await fetch(`${url}/events?hold=a&wait=60000`);
    const rest = held.text().catch(() => 'cut');
    child.kill(signal);
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(await rest).toBe('cut');
  },
);

test.each([
  [['--port', 'x'], {}, 'The port must be a number from 0 to 65535, not "x"\n'],
  [['--port', '65536'], {}, 'The port must be a number from 0 to 65535, not "65536"\n'],
  [[], { PORT: '' }, 'The port must be a number from 0 to 65535, not ""\n'],
  [['--prot', '1'], {}, /^Unknown option '--prot'/],
  [['8080'], {}, /^Unexpected argument '8080'/],
])('%j with %j is refused', async (args, env, sentence) => {
  const child = run(args, env);
  const [[text], [code]] = await Promise.all([once(child.stderr, 'data'), once(child, 'exit')]);
  expect(text).toMatch(sentence);
  expect(code).toBe(2);
});

test('a port in use is reported', async () => {
  const fixture = await startFixture({ port: 0 });
  const child = run(['--port', new URL(fixture.url).port]);
  const [[text], [code]] = await Promise.all([once(child.stderr, 'data'), once(child, 'exit')]);
  expect([code, text]).toEqual([2, expect.stringMatching(/^listen EADDRINUSE: .*\n$/)]);
  await fixture.close();
});
