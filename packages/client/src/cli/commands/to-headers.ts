import { InvalidArgumentError } from 'commander';
import { SETTINGS } from '../settings/settings.ts';

/** Collects `-H "Name: value"`. */
export function toHeaders(text: string, headers = new Headers()): Headers {
  const at = text.indexOf(':');
  const name = text.slice(0, Math.max(at, 0)).trim();
  if (name.toLowerCase() === 'authorization') {
    throw new InvalidArgumentError(
      `Others can read arguments: set ${SETTINGS.token[0]} in the environment or in the file.`,
    );
  }
  try {
    headers.append(name, text.slice(at + 1).trim());
    return headers;
  } catch {
    throw new InvalidArgumentError('Write it as "Name: value".');
  }
}
