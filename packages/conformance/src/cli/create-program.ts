import { Command, Option } from 'commander';
import { APIS } from '../contract/apis.ts';
import { documents } from '../contract/documents.ts';
import { HELP_END } from './help-end.ts';
import { manifest } from './manifest.ts';
import type { OptionSpec } from './options/option-spec.ts';
import { GROUPS, toFlag } from './options/options.ts';

/** The version of the suite, and the versions of the contract that it speaks. */
function toVersion(): string {
  const spoken = APIS.map((api) => `${api} ${documents[api].document.info.version}`);
  return `berth-conformance ${manifest.version} (contract: ${spoken.join(', ')})`;
}

/** What the command line asks for: a run, or the fixture service, with the options as they were typed. */
export interface Typed {
  command: 'run' | 'fixture';
  options: Record<string, unknown>;
}

/**
 * The command line: its options and their help. It never exits the process by itself.
 *
 * @param onTyped called with what was typed, unless help was asked for
 */
export function createProgram(onTyped: (typed: Typed) => void): Command {
  const program = new Command('berth-conformance')
    .description(
      'Tells whether a deployment keeps the contract of the gateway and the storage API, rule by rule.',
    )
    .usage('--gateway-url <url> --storage-url <url> [options]')
    .allowExcessArguments(false)
    .showSuggestionAfterError(false)
    .exitOverride()
    .addHelpText('after', HELP_END)
    .action((options) => onTyped({ command: 'run', options }));
  for (const [heading, group] of Object.entries(GROUPS)) {
    for (const [name, spec] of Object.entries(group)) {
      program.addOption(toOption(name, spec).helpGroup(heading));
    }
  }
  program.optionsGroup('Other:').helpOption('-h, --help', 'show this help');
  program.version(toVersion(), '-V, --version', 'show the version, and those of the contract');
  program
    .command('fixture')
    .description('serve the fixture service that the gateway checks call')
    .option('--port <number>', 'port to listen on; 0 takes a free one', '8080')
    .option(
      '--host <address>',
      'address to listen on; 0.0.0.0 opens it to the network',
      '127.0.0.1',
    )
    .action((options) => onTyped({ command: 'fixture', options }));
  return program.helpCommand(false);
}

function toOption(name: string, { kind, value, about, choices, usual }: OptionSpec): Option {
  const among = choices ? ` (${choices.join(', ')})` : '';
  const otherwise = usual === undefined ? '' : ` [${usual}]`;
  const flags = value === undefined ? toFlag(name) : `${toFlag(name)} ${value}`;
  const option = new Option(flags, `${about}${among}${otherwise}`);
  if (kind === 'list') {
    option.argParser((item: string, all: string[] = []) => [...all, item]);
  }
  return option;
}
