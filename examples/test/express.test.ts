import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { createConformance } from '@berth/conformance';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { startFixture } from '../../packages/conformance/fixture/server.mjs';
import { freePort } from '../../scripts/testing/free-port.ts';
import { copyExample, removeCopies } from './run-example.ts';

afterAll(removeCopies);

/** Starts the example; `output` has the lines that it prints. */
async function startExample(variables: Readonly<Record<string, string>>) {
  const cwd = await copyExample('express', {});
  const child = spawn(process.execPath, ['--conditions=berth-source', 'server.ts'], {
    cwd,
    env: { ...process.env, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => {
    child.kill();
  });
  const output: string[] = [];
  const started = Promise.withResolvers<void>();
  for (const stream of [child.stdout, child.stderr]) {
    createInterface(stream).on('line', (line) => {
      output.push(line);
      started.resolve();
    });
  }
  await started.promise;
  return { child, output };
}

test('the Express server passes the conformance suite', async () => {
  const fixture = await startFixture({ port: 0 });
  onTestFinished(() => fixture.close());
  const port = await freePort();
  const services = { conformance: fixture.url };
  const { output } = await startExample({ PORT: `${port}`, SERVICES: JSON.stringify(services) });
  const url = `http://127.0.0.1:${port}`;
  const { exitCode, results } = await createConformance({
    gatewayUrl: url,
    storageUrl: url,
    env: 'dev',
    gatewayToken: 'any',
    tc3: { secretId: 'me', secretKey: 'secret' },
    timeout: 60_000,
    sequences: 3,
  }).run();
  const failed = results.filter(({ outcome }) => outcome !== 'pass' && outcome !== 'disabled');
  expect(failed.map(({ id, outcome, reason }) => ({ id, outcome, reason }))).toEqual([]);
  expect(exitCode).toBe(0);
  expect(output).toEqual([`listening on ${url}`]);
});

test('a port in use is one sentence', async () => {
  const server = createServer().listen(0);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  const { child, output } = await startExample({ PORT: `${port}` });
  const [code] = child.exitCode === null ? await once(child, 'exit') : [child.exitCode];
  expect({ code, output }).toEqual({
    code: 1,
    output: [`Cannot listen on port ${port}: listen EADDRINUSE: address already in use :::${port}`],
  });
});
