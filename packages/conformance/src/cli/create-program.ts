import { Command, Option } from 'commander';
import { APIS } from '../contract/openapi.ts';
import { documents } from '../contract/operations.ts';
import { manifest } from '../manifest.ts';
import { GROUPS, OPTIONS, type OptionName, toFlag } from './options.ts';

const HELP_END = `
Each option can also be set with an environment variable (BERTH_GATEWAY_URL for --gateway-url; lists have
one value per line). The command line takes precedence.

Examples:
  berth-conformance --gateway-url https://dev.gateway.example --gateway-token "$TOKEN" \\
    --storage-url https://storage.example --tc3-secret-id "$ID" --tc3-secret-key "$KEY"
  berth-conformance --gateway-url https://dev.gateway.example --report junit=junit.xml,html=report.html
  berth-conformance --storage-url https://storage.example --only ST-COPY
  berth-conformance fixture --port 8080 --host 0.0.0.0

Exit codes, the first that applies:
  2  the run could not start: invalid options, no response, a TLS error, or rejected credentials
  1  a MUST failed or the baseline is stale: the deployment breaks the contract
  4  a MUST could not be checked because of a network error or a bug in the suite
  3  a MUST was skipped: the run is incomplete
  0  the deployment follows the contract`;

/**
 * Creates the command line with its options and their help. Parsing never exits the process.
 *
 * @param onTyped called with the command line as typed, unless help was requested
 */
export function createProgram(onTyped: (typed: Typed) => void): Command {
  const program = new Command('berth-conformance')
    .description(
      'Check, rule by rule, whether a deployment follows the contract of the gateway and the storage API.',
    )
    .usage('--gateway-url <url> --storage-url <url> [options]')
    .allowExcessArguments(false)
    .showSuggestionAfterError(false)
    .exitOverride()
    .addHelpText('after', HELP_END)
    .action((options) => onTyped({ command: 'run', options }));
  for (const [heading, group] of Object.entries(GROUPS)) {
    for (const name of Object.keys(group) as OptionName[]) {
      program.addOption(toOption(name).helpGroup(heading));
    }
  }
  program.optionsGroup('Other:').helpOption('-h, --help', 'show this help');
  program.version(toVersion(), '-V, --version', 'show the versions of the suite and the contract');
  program
    .command('fixture')
    .description('start the fixture service for the gateway checks')
    .option('--port <number>', 'port to listen on; 0 picks a free port', '8080')
    .option(
      '--host <address>',
      'address to listen on; 0.0.0.0 exposes the service to the network',
      '127.0.0.1',
    )
    .action((options) => onTyped({ command: 'fixture', options }));
  return program.helpCommand(false);
}

/** Lists the flags of the command that these arguments call. */
export function listFlags(args: readonly string[]): string[] {
  const program = createProgram(() => {});
  const { options } = program.commands.find((each) => args.includes(each.name())) ?? program;
  return ['--help', ...options.flatMap(({ long }) => long ?? [])];
}

/** Formats the suite's version and the contract versions that it supports. */
function toVersion(): string {
  const spoken = APIS.map((api) => `${api} ${documents[api].document.info.version}`);
  return `berth-conformance ${manifest.version} (contract: ${spoken.join(', ')})`;
}

/** The parsed command line, with the command and the options as typed. */
export interface Typed {
  command: 'run' | 'fixture';
  options: Record<string, unknown>;
}

function toOption(name: OptionName): Option {
  const { kind, value, about, choices, usual } = OPTIONS[name];
  const among = choices ? ` (${choices.join(', ')})` : '';
  const otherwise = usual === undefined ? '' : ` [${usual}]`;
  const flags = value === undefined ? toFlag(name) : `${toFlag(name)} ${value}`;
  const option = new Option(flags, `${about}${among}${otherwise}`);
  if (kind === 'list') {
    option.argParser((item: string, all: string[] = []) => [...all, item]);
  }
  return option;
}
