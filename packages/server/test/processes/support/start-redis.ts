import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { findProgram } from '../../../../../scripts/testing/engines.ts';
import { freePort } from '../../../../../scripts/testing/free-port.ts';

const PROGRAMS = ['redis-server', 'valkey-server'];

/** Starts a Redis or Valkey server that stores nothing on disk; it ends with the test. */
export async function startRedis(options: readonly string[] = [], port?: number) {
  const chosen = port ?? (await freePort());
  const args = ['--port', `${chosen}`, '--bind', '127.0.0.1', '--save', '', ...options];
  const child = spawn(findProgram(PROGRAMS) as string, args, {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'exit');
  /** Kills it, and waits for its end. */
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  onTestFinished(kill);
  for await (const text of child.stdout.iterator({ destroyOnReturn: false })) {
    if (String(text).includes('Ready to accept connections')) break;
  }
  child.stdout.resume();
  return { port: chosen, url: `redis://127.0.0.1:${chosen}`, process: child, kill };
}
