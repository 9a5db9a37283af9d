import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { findProgram } from '@berth/runtimes/engines';

/** Starts an installed program, without the environment variables of the tests. */
export function startProgram(
  names: readonly string[],
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  onGone: (error: Error) => void,
) {
  const command = findProgram(names);
  if (!command) throw new Error(`There is no ${names.join(' and no ')} on this machine.`);
  const child = spawn(command, args, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said = `${said}${text}`.slice(-2_000);
  });
  child.on('error', onGone);
  const gone = once(child, 'close').then(
    ([code, signal]) => onGone(new Error(`${command} ended with ${code ?? signal}: ${said}`)),
    () => {},
  );
  return {
    stdout: child.stdout,
    async end() {
      child.kill();
      await gone;
    },
  };
}
