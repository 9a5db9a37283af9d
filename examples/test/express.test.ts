import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

// The run of the conformance suite is in `packages/conformance/test/sound.test.ts`.

test('a port in use is one sentence', async () => {
  const other = createServer().listen(0);
  await once(other, 'listening');
  onTestFinished(() => void other.close());
  const { port } = other.address() as { port: number };
  const server = join(import.meta.dirname, '../express/server.ts');
  const child = spawn(process.execPath, ['--conditions=berth-source', server], {
    env: { ...process.env, PORT: String(port) },
  });
  let output = '';
  child.stderr.on('data', (text) => {
    output += text;
  });
  const [code] = await once(child, 'close');
  expect({ code, output }).toEqual({
    code: 1,
    output: `Cannot listen on port ${port}: listen EADDRINUSE: address already in use :::${port}\n`,
  });
});
