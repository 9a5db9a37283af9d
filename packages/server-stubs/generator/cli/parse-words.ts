import { InvalidArgumentError } from 'commander';

/** Reads a path of the command line. Empty it is mostly a variable of the shell that is not set. */
export function parsePath(value: string): string {
  if (value !== '') return value;
  throw new InvalidArgumentError('It must not be empty.');
}

/** Reads what generated code imports from; it stands there in quotes. */
export function parseSpecifier(value: string): string {
  if (/^[^'\\\s]+$/.test(value)) return value;
  throw new InvalidArgumentError('It must be the name of a module.');
}
