import { stripVTControlCharacters } from 'node:util';

/** A line that Respect shows around the one at fault, or the mark below it. */
const AROUND = /^(\d+ )?\|/;
const AT_FAULT = /^> *\d+ \| */;

/**
 * What a check of Respect says, on one line: without colours, and of a body the line at fault alone.
 *
 * @example
 * toSentence('TYPE must be string\n\n  3 | {\n> 4 |   "id": 1,\n    |         ^ type must be string');
 * // TYPE must be string at "id": 1,
 */
export function toSentence(message: string): string {
  return stripVTControlCharacters(message)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !AROUND.test(line))
    .map((line) => line.replace(AT_FAULT, 'at '))
    .join(' ');
}
