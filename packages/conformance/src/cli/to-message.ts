import type { CommanderError } from 'commander';

/**
 * The sentence for a bad command line. It never repeats what was typed beyond the name of an option:
 * a credential that was not quoted ends up among the arguments.
 */
export function toMessage({ code, message }: CommanderError): string {
  switch (code) {
    case 'commander.excessArguments':
      return 'There are arguments that belong to no option; quote values that have spaces.';
    case 'commander.unknownOption':
      return `${message.replace(/^error: /, '').replace(/=.*$/s, "'")}.`;
    default:
      return `${message.replace(/^error: /, '')}.`;
  }
}
