import { ConfigError } from '../config/config.ts';

/** What ends a command, told in one sentence. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly exitCode: 1 | 2;

  /** @param exitCode 1 where what was looked at is bad, 2 where the command could not begin */
  constructor(message: string, exitCode: 1 | 2) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** A sentence for an error that the user can mend; undefined for any other. */
export function findFault(error: unknown): Failure | undefined {
  if (error instanceof Failure) return error;
  if (error instanceof ConfigError) return new Failure(error.message, 2);
  const { name, code, syscall, port, address, hostname, path, message, cause } =
    error as NodeJS.ErrnoException & { port?: number; address?: string; hostname?: string };
  if (syscall === 'listen' || syscall === 'getaddrinfo') {
    switch (code) {
      case 'EADDRINUSE':
        return new Failure(
          `Port ${port} is in use: stop what holds it, or choose another one with --port and --admin-port.`,
          2,
        );
      case 'EACCES':
        return new Failure(
          `Port ${port} may not be used by this user: choose one above 1023 with --port and --admin-port.`,
          2,
        );
      case 'ENOTSUP':
        return new Failure(
          'This system cannot share a port (listen.reusePort): put a load balancer in front of several ports.',
          2,
        );
      case 'EADDRNOTAVAIL':
      case 'ENOTFOUND':
      case 'EAI_AGAIN':
        return new Failure(
          `${address ?? hostname ?? 'The host'} is no address of this machine: choose another one with --host.`,
          2,
        );
    }
  }
  if (name === 'StoreUnavailableError') {
    const { path: file } = (cause ?? {}) as NodeJS.ErrnoException;
    const fix = file === undefined ? '' : ` Look at ${file}, or name another folder in store.root.`;
    return new Failure(`The store cannot be used: ${message}${fix}`, 2);
  }
  if (syscall === 'mkdir') {
    return new Failure(
      `The folder ${path} cannot be made (${code}): name another one with --data.`,
      2,
    );
  }
  if (path !== undefined && code !== undefined) {
    return new Failure(`${path} cannot be used: ${message}.`, 2);
  }
  return undefined;
}
