import { CommanderError } from 'commander';
import { toSettings } from '../options.ts';
import { planRun } from '../plan/plan.ts';
import { createRedactor } from '../report/redact.ts';
import { StartError } from '../start-error.ts';
import { check } from './check.ts';
import { describePlan } from './describe-plan.ts';
import { listRules } from './list-rules.ts';
import type { Given } from './options/options.ts';
import { toSecrets } from './options/to-secrets.ts';
import type { Output } from './output.ts';
import { type Labels, parseArguments } from './parse-arguments.ts';
import { serveFixture } from './serve-fixture.ts';
import { toMessage } from './to-message.ts';
import { toOptions } from './to-options.ts';

/** Exit code of a run that could not start. */
const NOT_STARTED = 2;
/** Exit code of a fault of the suite itself. */
const ERROR = 4;

/** Addresses of a dry run that was given none. */
const NOWHERE = { gatewayUrl: 'http://gateway.invalid', storageUrl: 'http://storage.invalid' };

/** What surrounds a command line. */
export interface Surroundings {
  output: Output;
  env: Readonly<Record<string, string | undefined>>;
  /** Ends the run. */
  signal: AbortSignal;
}

/** Runs the command line and returns its exit code; it writes only through `output`. */
export async function runCli(args: readonly string[], around: Surroundings): Promise<number> {
  const { output, env, signal } = around;
  let given: Given = {};
  let labels: Labels = {};
  try {
    const parsed = await parseArguments(args, env, (text) => output.out(text.trimEnd()));
    if (parsed.command === 'fixture') {
      await serveFixture(parsed.options, output, signal);
      return 0;
    }
    ({ given, labels } = parsed);
    return await run(given, output, signal);
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    const message =
      error instanceof CommanderError ? toMessage(error) : withLabel(error as Error, labels);
    output.error(`berth-conformance: ${createRedactor(toSecrets(given))(message)}`);
    return error instanceof StartError || error instanceof CommanderError ? NOT_STARTED : ERROR;
  }
}

/** The message with the option at fault as the user has given it. */
function withLabel(error: Error, labels: Labels): string {
  const option = error instanceof StartError ? error.option : undefined;
  if (option === undefined) return error.message;
  return (labels[option] ?? option) + error.message.slice(option.length);
}

async function run(given: Given, output: Output, signal: AbortSignal): Promise<number> {
  const { list, dryRun, json = false } = given;
  if (!list && !dryRun) return check(given, output, signal);
  const isNowhere = given.gatewayUrl === undefined && given.storageUrl === undefined;
  const options = await toOptions(isNowhere ? { ...NOWHERE, ...given } : given);
  const lines = list ? listRules(given) : describePlan(planRun(toSettings(options)), json);
  for (const line of lines) output.out(line);
  return 0;
}
