import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const SCRIPTS = join(import.meta.dirname, '..');

function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

it.each([
  ['npm start', ['start.mjs']],
  ['npm run dev', ['task.mjs', 'dev']],
])(
  '%s serves the whole API on one port until it is told to stop',
  async (_name, [script, ...args]) => {
    const port = await freePort();
    const line = [join(SCRIPTS, script as string), ...args, '--port', String(port)];
    const child = spawn(process.execPath, line, { stdio: 'pipe' });
    const ended = new Promise((resolve) => child.on('close', resolve));
    let output = '';
    await new Promise<void>((resolve, reject) => {
      child.on('close', () => reject(new Error(output)));
      child.stdout.setEncoding('utf8').on('data', (text) => {
        output += text;
        if (/^ready$/m.test(output)) resolve();
      });
    });

    const url = `http://127.0.0.1:${port}`;
    const answer = await fetch(`${url}/v1/cloudrun/hello/a/b?x=1`, {
      headers: { authorization: 'Bearer any' },
    });
    expect([answer.status, answer.headers.get('content-disposition')]).toEqual([200, 'attachment']);
    for (const address of [`${url}/v1/cloudrun/`, `${url}/api/v2/envs/dev`, `${url}/\n`]) {
      expect(output).toContain(address);
    }
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  },
);
