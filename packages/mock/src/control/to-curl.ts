import { type LoggedRequest, REDACTED } from '../log.ts';

/** Headers that curl sets itself. */
const CURL_HEADERS = ['host', 'connection', 'content-length', 'transfer-encoding', 'expect'];

/** Headers that curl adds to a call without them. */
const ADDED_HEADERS = ['User-Agent', 'Accept'];

/**
 * Returns a command that repeats a call. Credentials, which the log does not have, are shell variables:
 * `$AUTHORIZATION`.
 */
export function toCurl({ method, target, headers, body }: LoggedRequest, origin: string): string {
  const url = quote(target.startsWith('/') ? origin + target : target, 'SIGN');
  const lines = headers.flatMap(([name, value]) => {
    const lower = name.toLowerCase();
    if (CURL_HEADERS.includes(lower)) return [];
    const variable = lower.replace(/[^a-z0-9]/g, '_').toUpperCase();
    return [`-H ${quote(value === '' ? `${name};` : `${name}: ${value}`, variable)}`];
  });
  const names = headers.map(([name]) => name.toLowerCase());
  const added = body === undefined ? ADDED_HEADERS : [...ADDED_HEADERS, 'Content-Type'];
  const absent = added.filter((name) => !names.includes(name.toLowerCase()));
  const start = ['curl', '-i', '--path-as-is', '--globoff'];
  const data = body === undefined ? [] : [`--data-raw ${quote(body)}`];
  const command = method === 'HEAD' ? '-I' : `-X ${method}`;
  return [
    [...start, command, url].join(' '),
    ...lines,
    ...absent.map((name) => `-H '${name}:'`),
    ...data,
  ].join(' \\\n  ');
}

/**
 * Quotes a text for a POSIX shell.
 *
 * @param variable replaces a credential that was removed
 */
function quote(text: string, variable = ''): string {
  const quoted = `'${text.replaceAll("'", `'\\''`)}'`;
  return variable === '' ? quoted : quoted.replaceAll(REDACTED, `'"$${variable}"'`);
}
