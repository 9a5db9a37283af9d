import { ConfigError } from '../config/config.ts';

export class Failure extends Error {
  override readonly name = 'Failure';
  readonly exitCode: 1 | 2;

  /** @param exitCode 1 if a check found problems, 2 if the command could not start */
  constructor(message: string, exitCode: 1 | 2) {
    super(message);
    this.exitCode = exitCode;
  }
}

const notHere = (_port: unknown, host: string) =>
  `${host} is not an address of this machine: choose another one with --host.`;

/** What to do if a server cannot listen. */
const LISTEN_ERRORS: Readonly<Record<string, (port: unknown, host: string) => string>> = {
  EADDRINUSE: (port) =>
    `Port ${port} is already in use: stop the other process, or choose another port with --port or --admin-port.`,
  EACCES: (port) =>
    `Port ${port} requires elevated privileges: choose a port above 1023 with --port or --admin-port.`,
  EADDRNOTAVAIL: notHere,
  ENOTFOUND: notHere,
  EAI_AGAIN: notHere,
};

/** Returns a one-sentence message for an error that the user can fix, or `undefined` for any other error. */
export function findFault(error: unknown): Failure | undefined {
  if (error instanceof Failure) return error;
  if (error instanceof ConfigError) return new Failure(error.message, 2);
  const { name, code, syscall, port, address, hostname, path, message, cause } =
    error as NodeJS.ErrnoException & { port?: number; address?: string; hostname?: string };
  if (syscall === 'listen' || syscall === 'getaddrinfo') {
    const host = address ?? hostname ?? 'The host';
    const fix = LISTEN_ERRORS[code ?? '']?.(port, host);
    if (fix !== undefined) return new Failure(fix, 2);
  }
  if (name === 'StoreUnavailableError') {
    const { path: file } = (cause ?? {}) as NodeJS.ErrnoException;
    const fix = file === undefined ? '' : ` Check ${file}, or set store.root to another folder.`;
    return new Failure(`Cannot use the store: ${message}${fix}`, 2);
  }
  if (syscall === 'mkdir') {
    return new Failure(
      `Cannot create the folder ${path} (${code}): choose another one with --data.`,
      2,
    );
  }
  if (path !== undefined && code !== undefined) {
    return new Failure(`Cannot use ${path}: ${message}.`, 2);
  }
  return undefined;
}
