import { Command } from 'commander';
import { CONTRACT } from '../generated/contract.gen.ts';
import { addCall } from './commands/add-call.ts';
import { addCp } from './commands/add-cp.ts';
import { addMv } from './commands/add-mv.ts';
import { addRm } from './commands/add-rm.ts';
import { addTail } from './commands/add-tail.ts';
import { addUrl } from './commands/add-url.ts';
import { readPackageInfo } from './package-info.ts';
import { SETTINGS } from './settings/settings.ts';

const MORE = `
Settings come from variables, or from a file in YAML or JSON with the names in brackets: --config, else
BERTH_CONFIG, else ~/.config/berth/config.yaml. A file with secrets must be readable for you alone.
${Object.entries(SETTINGS)
  .map(([name, [variable, text]]) => `  ${variable.padEnd(22)} ${text} (${name})`)
  .join('\n')}

Examples:
  berth cp ./site remote:/site --list site.ndjson  uploads a folder; again, it goes on where it ended
  berth cp remote:/site ./copy --list site.ndjson  downloads what the list names
  berth cp remote:/a.txt -                         prints a file
  berth url remote:/a.txt --max-age 600
  berth call hello greet -X POST -d '{"name":"Ada"}'
  berth tail hello news

Exit codes:
  0  done
  1  the work failed, or a part of it
  2  it could not begin: a wrong argument, option or setting`;

/** What all commands take. */
export interface CommonOptions {
  readonly config?: string;
  readonly json?: true;
  readonly quiet?: true;
}

/** The command line. */
export function createProgram(signal: AbortSignal): Command {
  const { documents } = CONTRACT;
  const program = new Command('berth')
    .description('Files of the storage API, and calls to hosted services.')
    .version(
      `${readPackageInfo().version} (gateway ${documents['gateway.v1'].version}, storage ${documents['storage.v2'].version}, contract ${CONTRACT.sha256.slice(0, 12)})`,
    )
    .exitOverride()
    .addHelpText('after', MORE);
  for (const add of [addCp, addUrl, addRm, addMv, addCall, addTail]) {
    add(program, signal)
      .option('-c, --config <file>', 'settings in YAML or JSON')
      .option('--json', 'print JSON, errors included')
      .option('-q, --quiet', 'no progress, no notes, no list of what was done');
  }
  return program;
}
