import { Command } from 'commander';
import { APIS } from '../contract/apis.ts';
import { documents } from '../contract/documents.ts';
import { manifest } from './manifest.ts';

/** The version of the suite, and the versions of the contract that it speaks. */
function toVersion(): string {
  const spoken = APIS.map((api) => `${api} ${documents[api].document.info.version}`);
  return `berth-conformance ${manifest.version} (contract: ${spoken.join(', ')})`;
}

/** The command line: its options and their help. It never exits the process by itself. */
export function createProgram(): Command {
  return new Command('berth-conformance')
    .description(
      'Tells whether a deployment keeps the contract of the gateway and the storage API.',
    )
    .version(toVersion())
    .requiredOption('--gateway-url <url>', 'base URL of the gateway')
    .requiredOption('--storage-url <url>', 'base URL of the storage API, without /api/v2')
    .option('--gateway-host <host>', 'Host header of the gateway calls')
    .option('--env <id>', 'environment of the storage calls', 'dev')
    .option('--service <name>', 'hosted service that the gateway calls go to', 'hello')
    .option('--gateway-token <token>', 'access token of the gateway calls')
    .option(
      '--storage-header <header>',
      "header of the storage calls, 'Name: value', sent as given; repeatable",
      (header: string, all: string[] = []) => [...all, header],
    )
    .option(
      '--request-form <form>',
      'fields of storage requests at the top level or inside data: top, data (default: found by a call)',
    )
    .option('--timeout <ms>', 'longest wait for one answer, in milliseconds', '10000')
    .option('--report <json=FILE>', 'write the results to a JSON file')
    .allowExcessArguments(false)
    .addHelpText('after', EXIT_CODES)
    .exitOverride();
}

const EXIT_CODES = `
Exit codes: 0 keeps the contract, 1 breaks it, 2 could not start,
3 something that must be checked was skipped, 4 a check ended in an error.`;
