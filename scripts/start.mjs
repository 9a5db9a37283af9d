// `npm start [-- OPTIONS]`: installs what the mock needs, and runs it from source. It brings a Node if that of the
// machine is too old.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { bringNode, install, isNew, ROOT } from './install.mjs';

const CLI = join(ROOT, 'packages/mock/src/cli.ts');

const [node] = await Promise.all([isNew() ? undefined : bringNode(), install('mock')]);
if (node === undefined) {
  await import(CLI);
} else {
  const args = [...process.execArgv, CLI, ...process.argv.slice(2)];
  const child = spawn(node, args, { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => child.kill(signal));
  child.on('exit', (code) => process.exit(code ?? 1));
}
