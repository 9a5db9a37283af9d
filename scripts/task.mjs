// `npm run <task>`: a task of turbo.json. The command lines of `conformance` and `bench` are reached
// directly where there are arguments, for what they then write or print must not come from a cache.
import { install } from './install.mjs';
import { runSource, turbo } from './process.mjs';

const COMMAND_LINES = {
  conformance: 'packages/conformance/src/cli.ts',
  bench: 'packages/bench/src/cli.ts',
};

await install();
const [task, ...args] = process.argv.slice(2);
const commandLine = COMMAND_LINES[task];
const cwd = process.env.INIT_CWD ?? process.cwd();
if (commandLine && args.length > 0) process.exit(await runSource(commandLine, args, { cwd }));
if (task === 'check') process.exit((await turbo('drift')) || (await turbo('check', 'knip')));
process.exit(await turbo(task, ...args));
