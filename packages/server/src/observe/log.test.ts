import { expect, test } from 'vitest';
import { createLog } from './log.ts';

const lines: string[] = [];
const log = createLog('info', { write: (line: string) => void lines.push(line) });

test('logs only known fields of an error, and nothing that a library attached', () => {
  const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED', args: ['my-secret'] });
  const err = Object.assign(new Error('failed', { cause }), { request: { cookie: 'my-secret' } });
  log.error({ err }, 'no');
  const refused = { message: 'refused', code: 'ECONNREFUSED' };
  const logged = { type: 'Error', message: 'failed', cause: refused };
  expect(JSON.parse(lines.join(''))).toMatchObject({ level: 'error', msg: 'no', err: logged });
  expect(lines.join('')).not.toContain('my-secret');
});

test('redacts fields named like secrets', () => {
  const names = ['authorization', 'cookie', 'password', 'secret', 'secretAccessKey', 'token'];
  for (const name of names) {
    log.info({ [name]: 'my-secret', headers: { [name]: 'my-secret' } }, 'yes');
    expect(lines.at(-1)?.split('[redacted]')).toHaveLength(3);
  }
  expect(lines.join('')).not.toContain('my-secret');
});
