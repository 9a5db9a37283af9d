import type { LoggedRequest } from './request-log.ts';

/** Headers that curl sets, and `Accept-Encoding`, because curl would not decode the body. */
const OMITTED = ['host', 'content-length', 'transfer-encoding', 'expect', 'accept-encoding'];

/** A command that repeats a call, without the credentials, which the log does not have. */
export function toCurl(logged: LoggedRequest, origin: string): string {
  const { method, target, headers } = logged;
  // With -I, curl refuses to send a body.
  const body = method === 'HEAD' ? undefined : logged.body;
  const url = quote(target.startsWith('/') ? origin + target : target);
  const lines = headers
    .filter(([name]) => !OMITTED.includes(name.toLowerCase()))
    .map(([name, value]) => `-H ${quote(value === '' ? `${name};` : `${name}: ${value}`)}`);
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
