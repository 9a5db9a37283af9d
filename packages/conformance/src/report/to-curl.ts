import { checks } from '../checks/index.ts';
import { workflows } from '../contract/catalog.ts';
import type { Settings } from '../options/options.ts';
import { BLANK, NAMED } from '../results/redact.ts';
import type { Finding, Result } from '../results/result.ts';

/** Control and bidi characters, which a terminal would interpret or display in another order. */
export const UNPRINTABLE = /[\p{Cc}\u2028-\u202e\u2066-\u2069]+/gu;

/** A longer command is not shown, because it is too long to paste. */
const MAX_COMMAND = 2_000;

/** Returns a command that repeats the call of a finding. The suite itself repeats what one call with curl cannot. */
export function toRepeat(
  { engine, id }: Pick<Result, 'engine' | 'id'>,
  finding: Finding,
  { ca, seed }: Pick<Settings, 'ca' | 'seed'>,
): string {
  const only = engine === 'rules' ? (finding.sentence ?? id) : id;
  const curl = needsFiles(only) ? undefined : toCurl(finding, ca !== undefined);
  if (curl !== undefined && curl.length <= MAX_COMMAND) return curl;
  return `npx @berth/conformance --only ${quote(only)} --seed ${seed}   # with the URLs and credentials of this run`;
}

/** Whether only calls for files show a violation of a sentence or a workflow: the run has removed these files. */
function needsFiles(id: string): boolean {
  const runnables = [...checks, ...workflows].filter((each) => each.id === id);
  return runnables.length > 0 && runnables.every(({ needs }) => needs.includes('writes'));
}

/**
 * Returns a `curl` command that repeats a call and reads the operator's secrets from variables. Returns `undefined` if the
 * call has another secret, such as a signature, a body that is not shown completely, or other calls before it on its
 * connection.
 *
 * @param hasCa whether the call trusted the certificates of `--ca` instead of the default ones
 */
export function toCurl({ request, onOneConnection }: Partial<Finding>, hasCa: boolean) {
  if (request === undefined || request.bodySize !== undefined || onOneConnection) return undefined;
  const { method, url, headers, body } = request;
  // Such a body would not survive copy and paste.
  const isPiped = body.search(UNPRINTABLE) >= 0;
  const texts = [url, body, ...Object.values(headers).flat()];
  const isUnsafe = (text: string) => text.search(UNPRINTABLE) >= 0 && text.search(NAMED) >= 0;
  const isIncomplete = JSON.stringify([url, headers, body]).includes(BLANK);
  if (isIncomplete || texts.some(isUnsafe)) return undefined;
  const names = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const sendsBody = body !== '' || names.has('content-length');
  // What curl adds to a call that does not set it.
  const added = ['Accept', 'User-Agent', ...(sendsBody ? ['Content-Type'] : [])];
  const unset = added.filter((name) => !names.has(name.toLowerCase()));
  const command = [
    // Neither the user's settings nor a proxy change the call.
    `curl -q -i --noproxy '*' --http1.1 --path-as-is --globoff ${method === 'HEAD' ? '--head' : `-X ${quote(method)}`}`,
    ...(hasCa ? ['--cacert "$BERTH_CA"'] : []),
    ...unset.map((name) => `-H '${name}:'`),
    ...Object.entries(headers).flatMap(toHeader),
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
function quote(text: string): string {
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
