import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { createSigners } from '../credentials/create-signers.ts';
import type { HeaderList } from '../http/exchange.ts';
import { toSettings } from '../options.ts';
import { toHeader } from '../report/to-curl.ts';
import { StartError } from '../result.ts';
import type { Given } from './options.ts';
import { NOWHERE_URLS, toOptions } from './to-options.ts';

/** The options of `curl` that reports print. */
const OPTIONS = {
  request: { type: 'string', short: 'X' },
  header: { type: 'string', short: 'H', multiple: true },
  'data-raw': { type: 'string' },
  'data-binary': { type: 'string' },
  head: { type: 'boolean' },
  include: { type: 'boolean', short: 'i' },
  globoff: { type: 'boolean' },
  'http1.1': { type: 'boolean' },
  'path-as-is': { type: 'boolean' },
} as const;

/**
 * Runs a `curl` command that a report has printed, with headers that the credentials among the options create. A
 * signature depends on the time, so it cannot be printed ready-made.
 *
 * @param words the command, starting with `curl`
 * @param readInput returns what follows on standard input; called if the body is there
 * @returns the exit code of `curl`
 * @throws StartError if the command is not one that a report prints, or the credentials are missing
 */
export async function signCurl(
  words: readonly string[],
  given: Given,
  readInput = () => buffer(process.stdin),
): Promise<number> {
  const { url, method, headers, own, body } = await parse(words, readInput);
  const settings = toSettings(await toOptions({ ...NOWHERE_URLS, ...given }));
  const signers = createSigners(settings);
  const isStorage = new URL(url).pathname.includes('/api/v2/envs/');
  const { module, bearer, signature } = signers.gateway;
  const signer = isStorage ? signers.storage : (module ?? signature ?? bearer);
  if (signer === undefined) {
    throw new StartError(
      `There are no credentials for the ${isStorage ? 'storage API: pass --tc3-secret-id and --tc3-secret-key, or --storage-header' : 'gateway: pass --tc3-secret-id and --tc3-secret-key, or --gateway-token'}.`,
    );
  }
  const names = isStorage ? Object.values(settings.wireProfile.storageHeaders) : ['Authorization'];
  const isRedacted = (text: string) =>
    names.some((name) => text.toLowerCase().startsWith(`${name.toLowerCase()}:`));
  const kept = headers.filter((text) => !isRedacted(text));
  const call = { method, url, headers: toList(kept), body: body ?? Buffer.alloc(0) };
  const signed = (await signer(call)).map(([name, value]) => toHeader(name, value));
  // Headers are in a file, because every process can read the arguments of others.
  const folder = await mkdtemp(join(tmpdir(), 'berth-sign-'));
  try {
    const file = join(folder, 'headers');
    await writeFile(file, [...kept, ...signed].join('\n'), { mode: 0o600 });
    const data = body ? ['--data-binary', '@-'] : [];
    return await runCurl([...own, '--header', `@${file}`, ...data, url], call.body);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runCurl(args: readonly string[], input: Uint8Array): Promise<number> {
  const child = spawn('curl', args, { stdio: ['pipe', 'inherit', 'inherit'] });
  // curl may exit before it has read everything.
  child.stdin.on('error', () => {}).end(input);
  try {
    const [code] = await once(child, 'close');
    return code ?? 1;
  } catch (error) {
    throw new StartError(`Cannot start curl: ${(error as Error).message}.`);
  }
}

/** Headers as they are sent: curl omits `Name:`, and sends `Name;` without a value. */
function toList(texts: readonly string[]): HeaderList {
  return texts.flatMap((text): [string, string][] => {
    const [, name = '', value = ''] = /^([^:;]+)[:;][ \t]*(.*)$/s.exec(text) ?? [];
    return text.endsWith(':') ? [] : [[name, value]];
  });
}

async function parse([program, ...args]: readonly string[], readInput: () => Promise<Buffer>) {
  if (program !== 'curl') {
    throw new StartError('The command is missing: berth-conformance sign -- curl …');
  }
  const { values, positionals } = parseWords(args);
  const [url = '', ...others] = positionals;
  if (!URL.canParse(url) || others.length > 0) {
    throw new StartError('The curl command must have exactly one URL.');
  }
  const { header = [], request, head, 'data-raw': raw, 'data-binary': binary } = values;
  if (binary !== undefined && binary !== '@-') {
    throw new StartError('--data-binary must be @-: the body comes from standard input.');
  }
  const flags = ['include', 'globoff', 'http1.1', 'path-as-is', 'head'] as const;
  return {
    ...{ url, headers: header, method: head ? 'HEAD' : (request ?? 'GET') },
    /** The options that stay as they are. */
    own: [
      ...flags.filter((name) => values[name]).map((name) => `--${name}`),
      ...(request === undefined ? [] : ['--request', request]),
    ],
    body:
      binary !== undefined ? await readInput() : raw === undefined ? undefined : Buffer.from(raw),
  };
}

function parseWords(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: true });
  } catch (error) {
    const [, option = 'An option'] = /'(-[^' ]*)/.exec((error as Error).message) ?? [];
    throw new StartError(
      `${option} of curl cannot be used here: paste a command as the report shows it.`,
    );
  }
}
