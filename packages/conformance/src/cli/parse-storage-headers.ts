import { validateHeaderName, validateHeaderValue } from 'node:http';
import { StartError } from '../start-error.ts';

/**
 * Headers from `'Name: value'` arguments.
 *
 * @throws StartError that does not show the value
 */
export function parseStorageHeaders(headers: string[] = []): Record<string, string> {
  return Object.fromEntries(headers.map(parseHeader));
}

function parseHeader(header: string): [string, string] {
  const [, name, value] = /^([^:]+):[ \t]*(.*)$/s.exec(header) ?? [];
  try {
    validateHeaderName(name ?? '');
    validateHeaderValue(name ?? '', value ?? '');
    return [name as string, value as string];
  } catch {
    throw new StartError("--storage-header must be 'Name: value'.");
  }
}
