import { BLANK, NAMED } from '../redact.ts';
import type { Finding } from '../result.ts';

/** Control and bidi characters, which a terminal would interpret or display in another order. */
export const UNPRINTABLE = /[\p{Cc}\u2028-\u202e\u2066-\u2069]+/gu;

/**
 * Returns a `curl` command that repeats a call and reads the operator's secrets from variables. Returns `undefined` if the
 * call has another secret, such as a signature, a body that is not shown completely, or other calls before it on its
 * connection.
 */
export function toCurl({ request, onOneConnection }: Partial<Finding>, hasCa = false) {
  if (request === undefined || request.bodySize !== undefined || onOneConnection) return undefined;
  const { method, url, headers, body } = request;
  // Such a body would not survive copy and paste.
  const isPiped = body.search(UNPRINTABLE) >= 0;
  const texts = [url, body, ...Object.values(headers).flat()];
  const isUnsafe = (text: string) => text.search(UNPRINTABLE) >= 0 && text.search(NAMED) >= 0;
  const isIncomplete = JSON.stringify([url, headers, body]).includes(BLANK);
  if (isIncomplete || texts.some(isUnsafe)) return undefined;
  const names = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const needsHttp1 = names.has('upgrade') || names.has('transfer-encoding');
  const sendsBody = body !== '' || names.has('content-length');
  const command = [
    `curl -i${needsHttp1 ? ' --http1.1' : ''} --path-as-is --globoff ${method === 'HEAD' ? '--head' : `-X ${quote(method)}`}`,
    ...(hasCa ? ['--cacert "$BERTH_CA"'] : []),
    ...Object.entries(headers).flatMap(toHeader),
    ...(sendsBody && !names.has('content-type') ? ["-H 'Content-Type:'"] : []),
    ...(sendsBody ? [isPiped ? '--data-binary @-' : `--data-raw ${quote(body)}`] : []),
    quote(url),
  ].join(' \\\n  ');
  const base64 = Buffer.from(body).toString('base64');
  return isPiped ? `printf %s ${quote(base64)} | base64 -d | ${command}` : command;
}

function toHeader([name, values]: [string, string | string[]]): string[] {
  // curl sends the length itself.
  if (name.toLowerCase() === 'content-length') return [];
  // curl omits a header without a value unless it is written with a semicolon.
  return [values]
    .flat()
    .map((value) => `-H ${quote(value === '' ? `${name};` : `${name}: ${value}`)}`);
}

/** Quotes text for a shell, which inserts the values of variables. */
export function quote(text: string): string {
  if (/^[\w./:=-]+$/.test(text)) return text;
  if (text.search(UNPRINTABLE) >= 0)
    return `"$(printf '${text.replace(/[^ -~]|[!%'\\]/gu, toOctal)}')"`;
  if (text.search(NAMED) < 0) return `'${text.replaceAll("'", `'\\''`)}'`;
  // An interactive shell expands an exclamation mark even after a backslash.
  const escaped = text.replaceAll(/[\\"`$]/g, '\\$&').replaceAll('!', `"'!'"`);
  return `"${escaped.replaceAll(NAMED, (_, variable) => `\${${variable}}`)}"`;
}

function toOctal(character: string): string {
  const bytes = [...Buffer.from(character)];
  return bytes.map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}
