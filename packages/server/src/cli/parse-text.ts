import { InvalidArgumentError } from 'commander';

/** Reads a text of the command line. Empty it is mostly a variable of the shell that is not set. */
export function parseText(value: string): string {
  if (value !== '') return value;
  throw new InvalidArgumentError('It must not be empty.');
}
