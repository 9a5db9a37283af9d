import { expect, test } from 'vitest';
import { sendRaw, statusesOf } from '../support/send-raw.ts';
import { startDeployment } from './support/start-deployment.ts';

const TARGETS = [
  'GET /files/../store/secret',
  'GET /files/../../../etc/passwd',
  'GET /..%2f..%2fetc/passwd',
  'GET /files/%2e%2e/secret',
  'GET /files/dev/files/%2e%2e%2f%2e%2e%2fsecret',
  'GET /files/dev/files/%252e%252e/secret',
  'GET /files/dev/files/a%00',
  'GET /files/dev/files/%c0%ae%c0%ae/secret',
  'GET /files/__proto__/files/a',
  'GET /files/dev/files/secret?__proto__=1&sign=__proto__',
  'GET /files\\..\\secret',
  'GET file:///etc/passwd',
  'GET http://127.0.0.1/files/../secret',
  'POST /api/v2/envs/../envs/dev/storages:batchDelete',
  'POST /api/v2/envs/dev%2f..%2fqa/storages:batchDelete',
  'GET /v1/cloudrun/../../files/secret',
  'GET /v1/cloudrun/..%2fhello',
];

test('no target leads out of its surface', async () => {
  const { port, lines, seen } = await startDeployment();
  for (const target of TARGETS) {
    const response = await sendRaw(
      port,
      `${target} HTTP/1.1\r\nHost: dev.localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
    );
    const [status = 0] = statusesOf(response);
    expect([target, status >= 400 && status < 500]).toEqual([target, true]);
    expect(response).not.toMatch(/root:|hush-hush/);
  }
  expect(seen).toEqual([]);
  expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
});
