/** Commands for a POSIX shell. */
import type { LoggedRequest } from './log/request-log.ts';

/** Headers that curl sets, and `Accept-Encoding`, because curl would not decode the body. */
const OMITTED = ['host', 'content-length', 'transfer-encoding', 'expect', 'accept-encoding'];

/** A command that repeats a call, without the credentials, which the log does not keep. */
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
  if (body !== undefined) lines.push(`--data-raw ${quote(body)}`);
  return joinLines(`curl -i --path-as-is --globoff ${command} ${url}`, ...lines);
}

/** Quotes a text for a POSIX shell. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Joins the parts of a command, one on each line. */
export function joinLines(...parts: string[]): string {
  return parts.join(' \\\n  ');
}
