import { getSystemErrorMessage } from 'node:util';
import { StoreUnavailableError } from '@berth/storage';
import { ConfigError } from '../config/problems.ts';

/** An error that the user can fix. The message is a sentence that says how. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly exitCode: 1 | 2;

  /** @param exitCode 1 if a check found problems. Default: 2, the command could not start */
  constructor(message: string, exitCode: 1 | 2 = 2) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Converts an error that the user can fix. `undefined` means a bug. */
export function toFailure(error: unknown): Failure | undefined {
  if (error instanceof Failure) return error;
  if (error instanceof ConfigError) return new Failure(error.message);
  const { errno, syscall, path, message, cause } = error as NodeJS.ErrnoException;
  if (syscall === 'listen' || syscall === 'getaddrinfo') {
    const sentence = toListenSentence(error as NodeJS.ErrnoException);
    if (sentence !== undefined) return new Failure(sentence);
  }
  if (error instanceof StoreUnavailableError) {
    const { path: file } = (cause ?? {}) as NodeJS.ErrnoException;
    if (file === undefined) return new Failure(message);
    const fix = `Check ${file}, or choose another folder with store.root or --data.`;
    return new Failure(`${message} ${fix}`);
  }
  if (path === undefined || errno === undefined) return undefined;
  const reason = getSystemErrorMessage(errno);
  if (syscall !== 'mkdir') return new Failure(`Cannot use ${path}: ${reason}.`);
  const fix = 'Choose another one with --data.';
  return new Failure(`Cannot create the folder ${path}: ${reason}. ${fix}`);
}

function toListenSentence(
  error: NodeJS.ErrnoException & { port?: number; address?: string; hostname?: string },
): string | undefined {
  const { code, port, address, hostname } = error;
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} is already in use: stop the other program, or choose another port with --port, or with listen.port or admin.port in the configuration.`;
    case 'EACCES':
      return `Port ${port} requires elevated privileges: choose a port above 1023.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${address ?? hostname} is not an address of this machine: choose another one (listen.host or admin.host).`;
    default:
      return undefined;
  }
}
