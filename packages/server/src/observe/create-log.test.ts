import { expect, test } from 'vitest';
import { createLog } from './create-log.ts';

function logTo(lines: string[]) {
  const destination = { write: (line: string) => void lines.push(line) };
  return createLog({ level: 'info', secrets: ['my-secret'], destination });
}

test('redacts a secret anywhere in a line', () => {
  const lines: string[] = [];
  const { log, update } = logTo(lines);
  const cause = new Error('refused Bearer abc.def');
  log.error(
    { err: new Error('wrong: my-secret', { cause }), note: { deep: 'my-secret' } },
    'my-secret',
  );
  update('warn', ['another-secret']);
  log.info('not said');
  log.warn('another-secret');
  expect(lines).toHaveLength(2);
  expect(lines.join('')).not.toMatch(/my-secret|another-secret|abc\.def/);
  expect(JSON.parse(lines[0] as string)).toMatchObject({
    level: 'error',
    msg: '[redacted]',
    err: {
      type: 'Error',
      message: 'wrong: [redacted]',
      cause: { message: 'refused Bearer [redacted]' },
    },
  });
});

test('omits what libraries attach to their errors', () => {
  const lines: string[] = [];
  const error = Object.assign(new Error('no'), {
    code: 'E1',
    request: { headers: { cookie: 'c' } },
  });
  logTo(lines).log.error({ err: error }, 'failed');
  const { err } = JSON.parse(lines[0] as string);
  expect(Object.keys(err)).toEqual(['type', 'message', 'code', 'stack']);
});
