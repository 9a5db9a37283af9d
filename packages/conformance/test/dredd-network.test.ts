import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, expect, test, vi } from 'vitest';
import { startCorrectServer } from './support/correct-server.ts';
import { runDredd } from './support/run-dredd.ts';

afterEach(() => vi.unstubAllEnvs());

/** Loaded into Dredd's process: writes every address that is connected to or looked up. */
const recorder = (log: string) => `
import dns from 'node:dns';
import { appendFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
const connect = net.Socket.prototype.connect;
net.Socket.prototype.connect = function (...args) {
  const [options] = Array.isArray(args[0]) ? args[0] : args;
  appendFileSync(${JSON.stringify(log)}, 'connect ' + options.host + ':' + options.port + '\\n');
  return connect.apply(this, args);
};
const lookup = dns.lookup;
dns.lookup = (name, ...args) => {
  appendFileSync(${JSON.stringify(log)}, 'lookup ' + name + '\\n');
  return lookup(name, ...args);
};
syncBuiltinESMExports();
`;

test("Dredd connects only to the suite's relay", async () => {
  const folder = await mkdtemp(join(tmpdir(), 'berth-'));
  const log = join(folder, 'connects.txt');
  const preload = join(folder, 'recorder.mjs');
  await writeFile(preload, recorder(log));
  vi.stubEnv('NODE_OPTIONS', `--import=${pathToFileURL(preload)}`);
  vi.stubEnv('HTTP_PROXY', 'http://127.0.0.1:9');
  await using server = await startCorrectServer();
  const { exitCode } = await runDredd(server.url);
  expect(exitCode).toBe(0);
  const entries = [...new Set((await readFile(log, 'utf8')).trim().split('\n'))];
  expect(entries).toEqual([expect.stringMatching(/^connect 127\.0\.0\.1:\d+$/)]);
  expect(entries).not.toEqual([`connect ${new URL(server.url).host}`]);
});
