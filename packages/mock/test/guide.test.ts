import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { testOn } from '@berth/runtimes/engines';
import { afterAll, expect } from 'vitest';
import { createMock } from '../src/index.ts';

const GUIDE = readFileSync(new URL('../../../docs/guides/mock.md', import.meta.url), 'utf8');
const ADDRESS = 'http://127.0.0.1:4010';
const run = promisify(execFile);
const folder = await mkdtemp(join(tmpdir(), 'berth-guide-'));
afterAll(() => rm(folder, { recursive: true }));

/** Every `curl` command in the guide, with the output that it documents. */
const calls = [...GUIDE.matchAll(/^\$ (curl .+)\n(.+)$/gm)].map(
  ([, command = '', printed = '']) => ({
    command,
    printed,
  }),
);

testOn('curl')(
  'every curl command in the guide prints the documented output, in order',
  async () => {
    for (const [, name = '', text = ''] of GUIDE.matchAll(
      /^(?:#|\/\/) (services\/.+)\n([^`]+?)```/gm,
    )) {
      await mkdir(join(folder, dirname(name)), { recursive: true });
      await writeFile(
        join(folder, name),
        text.replace("'@berth/mock'", `'${import.meta.resolve('../src/index.ts')}'`),
      );
    }
    await using mock = await createMock({ services: join(folder, 'services') });
    expect(calls).toHaveLength(8);
    for (const { command, printed } of calls) {
      const line = command.replace('curl', 'curl -sS').replace(ADDRESS, mock.url);
      const { stdout } = await run('sh', ['-c', line]);
      expect(stdout.trim().replace(/(?<="requestId":")[^"]+/, '…'), command).toBe(printed);
    }
    const session = mock.session();
    const basket = await fetch(`${mock.gatewayUrl}/v1/cloudrun/basket/items`, {
      method: 'POST',
      headers: { authorization: 'Bearer any' },
      body: '"apple"',
    });
    expect(await basket.json()).toEqual(['apple']);
    expect(session.requests({ unmatched: true })).toHaveLength(1);
  },
);
