import { InvalidArgumentError } from 'commander';

/** Makes a reader of whole numbers for the command line. */
export function parseNumber(min: number, max: number) {
  return (value: string): number => {
    const number = Number(value);
    if (/^\d{1,9}$/.test(value) && number >= min && number <= max) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
}
