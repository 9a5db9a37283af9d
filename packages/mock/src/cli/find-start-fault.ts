import { WireProfileError } from '../contract/assert-wire-profile.ts';
import type { CliOptions } from './parse-options.ts';

/** One sentence for an error that the user can mend; undefined for any other error. */
export function findStartFault(
  error: NodeJS.ErrnoException,
  { port, host, contract }: CliOptions,
): string | undefined {
  if (error instanceof WireProfileError) return error.message;
  // What is no fault of the files themselves is that the mock cannot serve what they say.
  if (error.name === 'ContractFileError') return error.message;
  if (contract !== undefined && error instanceof TypeError) return error.message;
  if (error.name === 'FolderError') return error.message;
  if (error.name === 'RecordingError' || error.name === 'ServicesError') return error.message;
  switch (error.code) {
    case 'EADDRINUSE':
      return `Port ${port} is in use: stop what holds it, or choose another one with --port.`;
    case 'EACCES':
      return `Port ${port} may not be used by this user: choose one above 1023 with --port.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${host} is no address of this machine: choose another one with --host.`;
    default:
      return undefined;
  }
}
