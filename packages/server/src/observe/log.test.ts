import { expect, test } from 'vitest';
import { createLog } from './log.ts';

function setUp() {
  const lines: string[] = [];
  const log = createLog('info', { write: (line: string) => void lines.push(line) });
  return { log, lines, last: () => JSON.parse(lines.at(-1) ?? '') };
}

test('logs of an error what describes it, and nothing that a library attached', () => {
  const { log, lines, last } = setUp();
  const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED', args: ['my-secret'] });
  const err = Object.assign(new Error('failed', { cause }), { request: { cookie: 'my-secret' } });
  log.error({ err }, 'no');
  expect(last()).toMatchObject({
    level: 'error',
    msg: 'no',
    err: { type: 'Error', message: 'failed', cause: { message: 'refused', code: 'ECONNREFUSED' } },
  });
  expect(lines.join('')).not.toContain('my-secret');
});

test('redacts what has the name of a secret', () => {
  const { log, lines } = setUp();
  const names = ['authorization', 'cookie', 'password', 'secret', 'secretAccessKey', 'token'];
  for (const name of names) {
    log.info({ [name]: 'my-secret', headers: { [name]: 'my-secret' } }, 'yes');
    expect(lines.at(-1)?.split('[redacted]')).toHaveLength(3);
  }
  expect(lines.join('')).not.toContain('my-secret');
});
