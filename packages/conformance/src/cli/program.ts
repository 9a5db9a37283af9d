import { Command, Option } from 'commander';
import { documents } from '../contract/openapi.ts';
import { manifest } from '../manifest.ts';
import { assertOptions, DEFAULTS, OPTION_GROUPS, type OptionRow } from '../options.ts';
import type { StartError } from '../result.ts';
import type { CommandOptions } from './to-options.ts';

const HELP_END = `
Each option has an environment variable, such as BERTH_GATEWAY_URL for --gateway-url. There, a list has one value
per line, and a flag is true or false. The command line takes precedence.

Examples:
  berth-conformance --gateway-url https://dev.gateway.example --storage-url https://storage.example
  berth-conformance --only ST-COPY --report html=report.html,junit=junit.xml
  berth-conformance fixture --port 8080 --host 0.0.0.0

Exit codes:
  0  the deployment follows what was checked; the verdict says how much that is
  1  it breaks the contract, or no longer has a known failure
  2  cannot say: the run could not start, or a check was skipped or ended with an error`;

export type Environment = Readonly<Record<string, string | undefined>>;

/** Creates the command line with the options of the table. */
export function createProgram(): Command {
  const program = new Command('berth-conformance')
    .description(
      'Check whether a deployment of the gateway and the storage API follows the contract.',
    )
    .usage('--gateway-url <url> --storage-url <url> [options]')
    .version(toVersion(), '-V, --version', 'print the versions of the suite and the contract')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .addHelpText('after', HELP_END);
  for (const [heading, rows] of Object.entries(OPTION_GROUPS)) {
    for (const [name, row] of Object.entries(rows)) {
      program.addOption(toOption(name, row).helpGroup(heading));
    }
  }
  return program;
}

/**
 * Returns the options of the command line, and of the `BERTH_*` variables for those that it does not set. An
 * empty variable sets nothing.
 *
 * @param program Default: a command line without options
 * @throws StartError that names an invalid option
 */
export function readOptions(env: Environment, program = createProgram()): CommandOptions {
  for (const [name, row] of Object.values(OPTION_GROUPS).flatMap((rows) => Object.entries(rows))) {
    const text = env[toVariable(name)];
    if (!text || program.getOptionValueSource(name) === 'cli') continue;
    program.setOptionValueWithSource(name, parse(row, text), 'env');
  }
  const options: CommandOptions = program.opts();
  assertOptions(options);
  return options;
}

/** Returns the message of an error, which names an option as the user set it. */
export function toMessage({ option, message }: StartError, program: Command): string {
  if (option === undefined) return message;
  const name = program.getOptionValueSource(option) === 'env' ? toVariable(option) : toFlag(option);
  return name + message.slice(option.length);
}

function toVersion(): string {
  const versions = Object.entries(documents).map(
    ([api, { document }]) => `${api} ${document.info.version}`,
  );
  return `berth-conformance ${manifest.version} (contract: ${versions.join(', ')})`;
}

function toOption(name: string, row: OptionRow): Option {
  const { [name]: value }: Record<string, unknown> = DEFAULTS;
  const option = new Option(`${toFlag(name)} ${row.placeholder}`.trimEnd(), row.help);
  if (typeof value === 'string' || typeof value === 'number') option.default(value);
  if (row.kind === 'integer') option.argParser((text) => parse(row, text));
  if (row.kind === 'list') {
    option.argParser((text, items: unknown[] = []) => items.concat(parse(row, text)));
  }
  return option;
}

/** Converts text to the value of an option. What cannot be converted stays text, which is invalid. */
function parse({ kind, separator = /\n/ }: OptionRow, text: string): unknown {
  switch (kind) {
    case 'text':
      return text;
    case 'integer':
      return /^-?\d+$/.test(text) ? Number(text) : text;
    case 'list':
      return text.split(separator).flatMap((item) => item.trim() || []);
    case 'flag':
      return text === 'true' || (text !== 'false' && text);
  }
}

/** Returns the flag of an option, such as `--gateway-url`. */
function toFlag(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Returns the environment variable of an option, such as `BERTH_GATEWAY_URL`. */
function toVariable(name: string): string {
  return `BERTH_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}
