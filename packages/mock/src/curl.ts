import type { LoggedRequest } from './log.ts';

const CURL_HEADERS = ['host', 'content-length', 'transfer-encoding', 'expect'];

/** A command that repeats a call, without the credentials, which the log does not have. */
export function toCurl({ method, target, headers, body }: LoggedRequest, origin: string): string {
  const url = quote(target.startsWith('/') ? origin + target : target);
  const lines = headers.flatMap(([name, value]) => {
    const lower = name.toLowerCase();
    if (CURL_HEADERS.includes(lower)) return [];
    return [`-H ${quote(value === '' ? `${name};` : `${name}: ${value}`)}`];
  });
  const hasType = headers.some(([name]) => name.toLowerCase() === 'content-type');
  // curl adds a type to a body without one.
  if (body !== undefined && !hasType) lines.push("-H 'Content-Type:'");
  const command = method === 'HEAD' ? '-I' : `-X ${method}`;
  return [
    `curl -i --path-as-is --globoff ${command} ${url}`,
    ...lines,
    ...(body === undefined ? [] : [`--data-raw ${quote(body)}`]),
  ].join(' \\\n  ');
}

/** Quotes a text for a POSIX shell. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
