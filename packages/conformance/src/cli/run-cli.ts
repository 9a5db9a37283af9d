import { once } from 'node:events';
import { startFixture } from '@berth/conformance/fixture';
import { CommanderError } from 'commander';
import { checks } from '../checks/index.ts';
import { rules } from '../contract/rules.ts';
import { createRedactor } from '../credentials/redact.ts';
import { whyLeftOut } from '../options.ts';
import { StartError } from '../result.ts';
import { listNeeds } from '../run/run-checks.ts';
import { check, type Output } from './check.ts';
import { createProgram, type Environment, readOptions, toMessage } from './program.ts';
import { assertIds, type CommandOptions } from './to-options.ts';

/** Exit code if the run could not start, or cannot say whether the deployment follows the contract. */
const UNKNOWN = 2;

const EXCESS =
  'Some arguments belong to no option: quote values that contain spaces. The only command is fixture.';

/** What surrounds a command line. */
export interface Surroundings {
  output: Output;
  env: Environment;
  /** Stops the run, or the fixture service. */
  signal: AbortSignal;
}

/** Runs the command line and returns its exit code. All output goes to `output`. */
export async function runCli(args: readonly string[], around: Surroundings): Promise<number> {
  const { output, env, signal } = around;
  // The message about an unknown option contains its value, which may be a credential.
  const values = args.map((arg) => arg.replace(/^--?[^=]*=?/, ''));
  const redact = createRedactor({ values, headers: [] });
  let exitCode = 0;
  const program = createProgram()
    .configureOutput({
      writeOut: (text) => output.out(text.trimEnd()),
      outputError: () => {},
    })
    .exitOverride()
    .allowExcessArguments()
    .action(async () => {
      if (program.args.length > 0) throw new StartError(EXCESS);
      const options = readOptions(env, program);
      if (options.list) listRules(options, output);
      else exitCode = await check(options, output, signal);
    });
  program
    .command('fixture')
    .description('start the fixture service for the gateway checks')
    .option('--port <number>', 'port to listen on; 0 picks a free port', '8080')
    .option('--host <address>', 'address to listen on, such as 0.0.0.0 for all', '127.0.0.1')
    .action((options) => serveFixture(options, output, signal));
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    if (error instanceof CommanderError) output.error(redact(error.message));
    else if (error instanceof StartError) output.error(`error: ${toMessage(error, program)}`);
    else output.error(describeBug(error));
    return UNKNOWN;
  }
}

/** Describes an error without its message, which may contain a credential. */
export function describeBug(error: unknown): string {
  const { name, stack = '' } = error as Error;
  return [`bug in the suite: ${name}`, ...(stack.match(/^ +at .*$/gm) ?? [])].join('\n');
}

/** Prints the selected rules, with their sentences if they have several, and what their checks need. */
function listRules(options: CommandOptions, { out }: Output): void {
  assertIds(options);
  const selected = rules.filter(
    ({ id, sentences }) => whyLeftOut([id, ...Object.keys(sentences)], options) === undefined,
  );
  for (const rule of selected) {
    const { id, level, statement, sentences } = rule;
    out(`${id} (${level.toUpperCase()})\n  ${statement}`);
    const entries = Object.entries(sentences);
    if (entries.length > 1) for (const [name, text] of entries) out(`  ${name}: ${text}`);
    out(`  Needs ${listNeeds(checks, rule).join(', ')}`);
  }
  out(`${selected.length} of ${rules.length} rules`);
}

/**
 * Serves the fixture service until the signal aborts.
 *
 * @throws StartError if the service cannot listen
 */
async function serveFixture(
  { port, host }: { port: string; host: string },
  { out }: Output,
  signal: AbortSignal,
): Promise<void> {
  const isPort = /^\d{1,5}$/.test(port) && Number(port) < 65_536;
  if (!isPort) throw new StartError('--port must be an integer from 0 to 65535.');
  const fixture = await startFixture({ port: Number(port), host }).catch(({ code, message }) => {
    const reasons: Record<string, string> = {
      EADDRINUSE: `port ${port} is already in use: choose another one with --port`,
      EADDRNOTAVAIL: `${host} is not an address of this machine: choose another one with --host`,
    };
    throw new StartError(`Cannot start the fixture service: ${reasons[code] ?? message}.`);
  });
  out(`The conformance suite's fixture service (protocol 1) is listening on ${fixture.url}`);
  if (!signal.aborted) await once(signal, 'abort');
  await fixture.close();
}
