import { expect, test } from 'vitest';
import { gateway, storage } from './helpers/calls.ts';
import { finish, spawnCli, untilReady } from './helpers/cli.ts';

test('--fault is done to the calls that it names, in every session', async () => {
  const child = spawnCli(
    ...['--port', '0', '--fault', 'service:hello:code=SERVICE_FORBIDDEN'],
    ...['--fault', 'batchDelete:code=SYS_ERR,times=1'],
  );
  try {
    const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(await untilReady(child)) ?? [];
    for (const id of ['', 'a']) {
      const headers = { 'x-mock-session': id };
      const hello = await gateway({ url }, { path: '/v1/cloudrun/hello', headers });
      expect([hello.status, hello.json.code]).toEqual([403, 'SERVICE_FORBIDDEN']);
      const body = { fileList: [] };
      expect((await storage({ url }, 'batchDelete', body, headers)).status).toBe(500);
      expect((await storage({ url }, 'batchDelete', body, headers)).status).toBe(200);
    }
  } finally {
    child.kill();
    await finish(child);
  }
});

test.each([
  ['latency=x', 'latency must be milliseconds'],
  ['batchDelet:reset', 'Do you mean batchDelete?'],
])('--fault %s is refused with exit 2', async (flag, sentence) => {
  const { code, stdout, stderr } = await finish(spawnCli('--fault', flag));
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(sentence);
});
