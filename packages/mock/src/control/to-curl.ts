import { type LoggedRequest, REDACTED } from '../log.ts';

/** Headers that curl sets itself. */
const CURL_HEADERS = ['host', 'connection', 'content-length', 'transfer-encoding', 'expect'];

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
  const start = ['curl', '-i', '--path-as-is', '--globoff'];
  const data = body === undefined ? [] : [`--data-raw ${quote(body)}`];
  const command = method === 'HEAD' ? '-I' : `-X ${method}`;
  return [[...start, command, url].join(' '), ...lines, ...data].join(' \\\n  ');
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
