import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const CLI = fileURLToPath(new URL('../../../src/cli.ts', import.meta.url));

/** A `berth-server` that runs in a process of its own. */
export interface ServerProcess {
  readonly url: string;
  readonly adminUrl: string;
  /** Tells it to end. @throws Error where it ends with another code than 0 */
  close(): Promise<void>;
}

/** Starts the command line with a configuration file, on free ports. */
export async function startProcess(config: string): Promise<ServerProcess> {
  const options = ['--config', config, '--port', '0', '--admin-port', '0'];
  const child = spawn(process.execPath, ['--conditions=berth-source', CLI, ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const ended = once(child, 'exit').finally(() => process.removeListener('exit', kill));
  const lines = createInterface({ input: child.stdout });
  const listening = new Promise<{ url: string; adminUrl: string }>((resolve) => {
    lines.on('line', (text) => {
      const line = JSON.parse(text);
      if (line.msg === 'listening') resolve(line);
      if (line.level === 'error') process.stderr.write(`${text}\n`);
    });
  });
  const { url, adminUrl } = await Promise.race([
    listening,
    ended.then(([code]) => Promise.reject(new Error(`berth-server ended with ${code}`))),
  ]);
  return {
    url,
    adminUrl,
    async close() {
      child.kill('SIGTERM');
      const [code, signal] = await ended;
      if (code !== 0) throw new Error(`berth-server ended with ${code ?? signal}`);
    },
  };
}
