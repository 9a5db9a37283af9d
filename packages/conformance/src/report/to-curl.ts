import type { Case } from '../contract/catalog.ts';
import type { Settings } from '../options.ts';
import { BLANK, NAMED } from '../results/redact.ts';
import type { Finding } from '../results/result.ts';

/** Control and bidi characters, which a terminal would interpret or display in another order. */
export const UNPRINTABLE = /[\p{Cc}\u2028-\u202e\u2066-\u2069]+/gu;

/** A longer command is not shown, because it is too long to paste. */
const MAX_COMMAND = 2_000;

/**
 * Returns a command that repeats the call of a finding. What one call with curl cannot repeat, such as a call that may be
 * about a file, the suite repeats: with the sentence, and with what made the call, which may be the check of another one.
 */
export function toRepeat(
  { engine, id }: Pick<Case, 'engine' | 'id'>,
  finding: Finding,
  { ca, seed, flags }: Pick<Settings, 'ca' | 'seed' | 'flags'>,
): string {
  const found = engine === 'rules' ? (finding.sentence ?? id) : id;
  const { madeBy = found, storesFiles } = finding;
  const curl = storesFiles ? undefined : toCurl(finding, ca !== undefined);
  if (curl !== undefined && curl.length <= MAX_COMMAND) return curl;
  const only = [...new Set([found, madeBy])].join();
  const options = ['--only', only, '--seed', String(seed), ...flags].map(quote).join(' ');
  return `npx @berth/conformance ${options}   # with the variables and credentials of this run`;
}

/**
 * Returns a `curl` command that repeats a call and reads the operator's secrets from variables. Returns `undefined` if the
 * call has another secret, such as a signature, a body that is not shown completely, characters that would not survive
 * copy and paste, or other calls before it on its connection.
 *
 * @param hasCa whether the call trusted the certificates of `--ca` instead of the default ones
 */
export function toCurl({ request, onOneConnection }: Partial<Finding>, hasCa: boolean) {
  if (request === undefined || request.bodySize !== undefined || onOneConnection) return undefined;
  const { method, url, headers, body } = request;
  const texts = [url, body, ...Object.entries(headers).flat(2)];
  if (texts.some((text) => text.includes(BLANK) || text.search(UNPRINTABLE) >= 0)) return undefined;
  const names = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const sendsBody = body !== '' || names.has('content-length');
  // What curl adds to a call that does not set it.
  const added = ['Accept', 'User-Agent', ...(sendsBody ? ['Content-Type'] : [])];
  const unset = added.filter((name) => !names.has(name.toLowerCase()));
  return [
    // Neither the user's settings nor a proxy change the call.
    `curl -q -i --noproxy '*' --http1.1 --path-as-is --globoff ${method === 'HEAD' ? '--head' : `-X ${quote(method)}`}`,
    ...(hasCa ? ['--cacert "$BERTH_CA"'] : []),
    ...unset.map((name) => `-H '${name}:'`),
    ...Object.entries(headers).flatMap(toHeader),
    ...(sendsBody ? [`--data-raw ${quote(body)}`] : []),
    quote(url),
  ].join(' \\\n  ');
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
function quote(text: string): string {
  if (/^[\w./:=,-]+$/.test(text)) return text;
  if (text.search(NAMED) < 0) return `'${text.replaceAll("'", `'\\''`)}'`;
  // An interactive shell expands an exclamation mark even after a backslash.
  const escaped = text.replaceAll(/[\\"`$]/g, '\\$&').replaceAll('!', `"'!'"`);
  return `"${escaped.replaceAll(NAMED, (_, variable) => `\${${variable}}`)}"`;
}
