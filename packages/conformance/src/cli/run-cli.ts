import { once } from 'node:events';
import { startFixture } from '@berth/conformance/fixture';
import { CommanderError } from 'commander';
import { checks } from '../checks/index.ts';
import { whyLeftOut } from '../context/selection.ts';
import { findRule, rules } from '../contract/rules.ts';
import { createRedactor, listSecrets, type Secrets } from '../credentials/redact.ts';
import { toSettings } from '../options.ts';
import { StartError } from '../result.ts';
import { check } from './check.ts';
import { listFlags, type Typed } from './create-program.ts';
import type { Given } from './options.ts';
import { type Labels, parseArguments, suggest } from './parse-arguments.ts';
import type { Output } from './terminal.ts';
import { NOWHERE_URLS, toOptions } from './to-options.ts';

const NOT_STARTED = 2;

/** Exit code for a bug in the suite. */
const ERROR = 4;

/** Runs the command line and returns its exit code. All output goes to `output`. */
export async function runCli(args: readonly string[], around: Surroundings): Promise<number> {
  const { output, env, signal } = around;
  let given: Given = {};
  let labels: Labels = {};
  const describe = (error: Error) => createRedactor(toSecrets(given))(withLabel(error, labels));
  try {
    const parsed = parseArguments(args, env, (text) => output.out(text.trimEnd()));
    const { command, own } = parsed;
    ({ given, labels } = parsed);
    switch (command) {
      case 'fixture':
        return await serveFixture(own, output, signal);
      case 'run':
        return await run(given, labels, output, signal);
    }
  } catch (error) {
    const isTyped = error instanceof CommanderError;
    if (isTyped && error.exitCode === 0) return 0;
    const message = describe(isTyped ? new Error(toMessage(error, args)) : (error as Error));
    output.error(`berth-conformance: ${message}`);
    return isTyped || error instanceof StartError ? NOT_STARTED : ERROR;
  }
}

const COMMANDS: readonly Typed['command'][] = ['fixture'];

/**
 * Returns the message for an invalid command line. It repeats nothing that was typed except the names of
 * options, because an unquoted credential would end up among the arguments.
 */
function toMessage({ code, message }: CommanderError, args: readonly string[]): string {
  const [word = ''] = args;
  const [, flag = ''] = /option '(--?[^'=\s]*)/.exec(message) ?? [];
  switch (code) {
    case 'commander.excessArguments':
    case 'commander.unknownCommand': {
      const hint = word.startsWith('-') ? '.' : suggest(word, COMMANDS);
      return hint === '.'
        ? 'Some arguments do not belong to any option; quote values that contain spaces.'
        : `Unknown command${hint}`;
    }
    case 'commander.unknownOption':
      return `Unknown option ${flag}${suggest(flag, listFlags(args))}`;
    case 'commander.optionMissingArgument':
      return `${flag} needs a value.`;
    default:
      return message.replace(/^error: /, '').replace(/\.?$/, '.');
  }
}

/** The environment of a command line. */
interface Surroundings {
  output: Output;
  env: Readonly<Record<string, string | undefined>>;
  /** Stops the run. */
  signal: AbortSignal;
}

/** Returns the message, naming the option the way the user set it. */
function withLabel(error: Error, labels: Labels): string {
  const option = error instanceof StartError ? error.option : undefined;
  if (option === undefined) return error.message;
  return (labels[option] ?? option) + error.message.slice(option.length);
}

async function run(
  given: Given,
  labels: Labels,
  output: Output,
  signal: AbortSignal,
): Promise<number> {
  if (!given.list) return check(given, labels, output, signal);
  // Reports an invalid option.
  toSettings(await toOptions({ ...NOWHERE_URLS, ...given }));
  for (const line of listRules(given)) output.out(line);
  return 0;
}

/** Implements `--list`: returns the rules that are checked, as lines or as one JSON text. */
function listRules(given: Given): string[] {
  const wanted = rules.filter(
    (rule) => whyLeftOut([rule.id, ...Object.keys(rule.sentences)], given) === undefined,
  );
  const listed = wanted.map((rule) => ({
    ...rule,
    needs: checks.find((check) => findRule(check.id) === rule)?.needs ?? [],
  }));
  if (given.json) return [JSON.stringify(listed, null, 2)];
  return [
    ...listed.flatMap(({ id, level: own, needs, statement, source, decisions }) => [
      `${id} (${own.toUpperCase()}${needs.length > 0 ? `, needs ${needs.join(', ')}` : ''})`,
      `  ${statement}`,
      ...(source.length + decisions.length > 0
        ? [`  ${[...source, ...decisions].join('; ')}`]
        : []),
    ]),
    `${listed.length} rules`,
  ];
}

/** Returns the credentials among the options, even if they are not usable for a run. */
function toSecrets(given: Given): Secrets {
  const { gatewayToken, otherEnvToken, expiredToken } = given;
  const { tc3SecretId: secretId = '', tc3SecretKey: secretKey = '', tc3Token: token } = given;
  const headers = (given.storageHeader ?? []).map((header) => header.split(/:[ \t]*/s));
  return listSecrets({
    ...{ gatewayToken, otherEnvToken, expiredToken },
    tc3: { secretId, secretKey, token, service: '', storageSigningHost: '' },
    storageHeaders: Object.fromEntries(
      headers.map(([name = '', ...rest]) => [name, rest.join(':')]),
    ),
  });
}

/**
 * Serves the fixture service until the signal aborts.
 *
 * @throws StartError if the options are invalid or the service cannot listen
 */
async function serveFixture(
  { port = '', host = '' }: Record<string, string>,
  { out }: Output,
  signal: AbortSignal,
): Promise<number> {
  const isPort = /^\d{1,5}$/.test(port) && Number(port) < 65_536;
  if (!isPort) throw new StartError('--port must be an integer from 0 to 65535.');
  const fixture = await startFixture({ port: Number(port), host }).catch(({ code, message }) => {
    const reasons: Record<string, string> = {
      EADDRINUSE: `port ${port} is already in use: choose another port with --port`,
      EADDRNOTAVAIL: `${host} is not an address of this machine: choose another one with --host`,
    };
    throw new StartError(`Cannot start the fixture service: ${reasons[code] ?? message}.`);
  });
  out(`The conformance suite's fixture service (protocol 1) is listening on ${fixture.url}`);
  if (!signal.aborted) await once(signal, 'abort');
  await fixture.close();
  return 0;
}
