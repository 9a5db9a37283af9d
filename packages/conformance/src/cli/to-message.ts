import type { CommanderError } from 'commander';
import { OPTION_NAMES, toFlag } from './options/options.ts';
import { suggest } from './suggest.ts';

const FLAGS = [...OPTION_NAMES.map(toFlag), '--port', '--host', '--help', '--version'];

/**
 * The sentence for a bad command line. It never repeats what was typed beyond the name of an option:
 * a credential that was not quoted ends up among the arguments.
 */
export function toMessage({ code, message }: CommanderError): string {
  const [, flag = ''] = /option '(--?[^'=\s]*)/.exec(message) ?? [];
  switch (code) {
    case 'commander.excessArguments':
    case 'commander.unknownCommand':
      return 'There are arguments that belong to no option; quote values that have spaces.';
    case 'commander.unknownOption':
      return `There is no option ${flag}${suggest(flag, FLAGS)}`;
    case 'commander.optionMissingArgument':
      return `${flag} needs a value.`;
    default:
      return `${message.replace(/^error: /, '')}.`;
  }
}
