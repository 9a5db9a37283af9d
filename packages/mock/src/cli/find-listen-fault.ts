import type { MockOptions } from '../options.ts';

/** One sentence for an error of listening; undefined for any other error. */
export function findListenFault(
  { code }: NodeJS.ErrnoException,
  { port, host }: MockOptions,
): string | undefined {
  switch (code) {
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
