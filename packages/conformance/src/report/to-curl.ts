import type { Finding } from '../result.ts';
import { BLANK } from './redact.ts';

/** Control and bidi characters, which a terminal would interpret or display in another order. */
export const UNPRINTABLE = /[\p{Cc}\u2028-\u202e\u2066-\u2069]+/gu;

/** How a redacted access token is shown, and the variable that replaces it in a command. */
const BEARER = `Bearer ${BLANK}`;
const TOKEN = 'Bearer $BERTH_GATEWAY_TOKEN';

/**
 * Returns a `curl` command that repeats a call; `undefined` if no command can, because the call has a credential
 * other than the access token, such as a signature, or a body that is not shown completely.
 */
export function toCurl({ request, onOneConnection, hasCa }: Partial<Finding>): string | undefined {
  if (request === undefined || request.bodySize !== undefined) return undefined;
  const { method, url, headers, body } = request;
  const entries = Object.entries(headers).map(
    ([name, value]) => [name, value === BEARER ? TOKEN : value] as const,
  );
  if (JSON.stringify([url, entries, body]).includes(BLANK)) return undefined;
  const names = new Set(entries.map(([name]) => name.toLowerCase()));
  const needsHttp1 = names.has('upgrade') || names.has('transfer-encoding');
  const sendsBody = body !== '' || names.has('content-length');
  // Such a body would not survive copy and paste.
  const isPiped = body.search(UNPRINTABLE) >= 0;
  const command = [
    `curl -i${needsHttp1 ? ' --http1.1' : ''} --path-as-is --globoff ${method === 'HEAD' ? '--head' : `-X ${quote(method)}`}`,
    ...(hasCa ? ['--cacert "$BERTH_CA"'] : []),
    // curl sends the length itself.
    ...entries.filter(([name]) => !/^content-length$/i.test(name)).map(toHeader),
    ...(sendsBody && !names.has('content-type') ? ["-H 'Content-Type:'"] : []),
    ...(sendsBody ? [isPiped ? '--data-binary @-' : `--data-raw ${quote(body)}`] : []),
    ...Array<string>(onOneConnection ? 2 : 1).fill(quote(url)),
  ].join(' \\\n  ');
  const base64 = Buffer.from(body).toString('base64');
  return isPiped ? `printf %s ${quote(base64)} | base64 -d | ${command}` : command;
}

/** curl omits a header without a value unless it is written with a semicolon. */
function toHeader([name, value]: readonly [string, string]): string {
  if (value === TOKEN) return `-H "${name}: ${value}"`;
  return `-H ${quote(value === '' ? `${name};` : `${name}: ${value}`)}`;
}

export function quote(text: string): string {
  if (/^[\w./:=-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
