import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Known } from '../document/observe.ts';
import { type Exchange, type HeaderList, toReceived } from '../http/exchange.ts';
import { StartError } from '../result.ts';

export interface Recorded {
  /** The file, and the number of the entry in it: `app.har entry 3`. */
  place: string;
  exchange: Exchange;
  /** The bodies that were recorded completely. */
  known: Known;
}

/** An entry that is not a complete call, and the reason. */
export interface Unusable {
  reason: string;
}

const MEBIBYTE = 2 ** 20;
/** Maximum size of a JSON file, which is read as a whole, and of a line, in bytes. */
const LARGEST_FILE = 256 * MEBIBYTE;
const LARGEST_LINE = 64 * MEBIBYTE;

/** Format of the mock's recordings. */
const RECORDING = 'berth-exchange-1';

/**
 * Reads the calls in a HAR file, in a file with one HAR entry or recording of the mock per line, or in a folder
 * of recordings.
 *
 * @throws StartError that names the file
 */
export async function* readTraffic(file: string): AsyncGenerator<Recorded | Unusable> {
  let at = 0;
  try {
    for await (const entry of readEntries(file)) {
      at += 1;
      yield readEntry(entry, `${file} entry ${at}`);
    }
  } catch (error) {
    if (error instanceof StartError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    throw new StartError(`${file} cannot be read: ${code ?? message}.`);
  }
}

async function* readEntries(file: string): AsyncGenerator<unknown> {
  if ((await stat(file)).isDirectory()) {
    const names = (await readdir(file)).filter((name) => name.endsWith('.json'));
    if (names.length === 0) throw new StartError(`The folder ${file} contains no recordings.`);
    names.sort((one, other) => one.localeCompare(other, 'en', { numeric: true }));
    for (const name of names) yield* readWhole(join(file, name));
  } else if (/\.(ndjson|jsonl)$/i.test(file)) yield* readLines(file);
  else yield* readWhole(file);
}

async function* readWhole(file: string): AsyncGenerator<unknown> {
  const { size } = await stat(file);
  if (size > LARGEST_FILE) {
    throw new StartError(
      `${file} is larger than ${LARGEST_FILE / MEBIBYTE} MiB: write one entry per line to a file that ends in .ndjson instead.`,
    );
  }
  const value = parse(await readFile(file, 'utf8'), file);
  const { log, format } = Object(value);
  const { entries } = Object(log);
  if (Array.isArray(entries)) yield* entries;
  else if (format === RECORDING) yield value;
  else throw new StartError(`${file} is neither a HAR file nor a recording of the mock.`);
}

async function* readLines(file: string): AsyncGenerator<unknown> {
  let rest = '';
  let line = 0;
  const read = (text: string) => {
    line += 1;
    return text.trim() === '' ? [] : [parse(text, `${file} line ${line}`)];
  };
  for await (const chunk of createReadStream(file, 'utf8') as AsyncIterable<string>) {
    const lines = chunk.split('\n');
    lines[0] = rest + lines[0];
    rest = lines.pop() ?? '';
    for (const text of lines) yield* read(text);
    if (rest.length > LARGEST_LINE) {
      throw new StartError(
        `${file} line ${line + 1} is longer than ${LARGEST_LINE / MEBIBYTE} MiB.`,
      );
    }
  }
  yield* read(rest);
}

/** The message does not quote the file, which may contain credentials. */
function parse(text: string, what: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    const [place = ''] = /line \d+ column \d+/.exec((error as Error).message) ?? [];
    throw new StartError(`${what} is not valid JSON${place && `: ${place}`}.`);
  }
}

function readEntry(entry: unknown, place: string): Recorded | Unusable {
  const { format, request, response } = Object(entry);
  if (typeof Object(request).method !== 'string') return { reason: 'not a recorded call' };
  const { status } = Object(response);
  if (!Number.isInteger(status) || status < 100) return { reason: 'no response was recorded' };
  const recorded = format === RECORDING ? fromRecording(Object(entry)) : fromHar(Object(entry));
  if (!/^https?:/i.test(recorded.url) || !URL.canParse(recorded.url)) {
    return { reason: 'not an HTTP call' };
  }
  const { url, sent, received } = recorded;
  return {
    place,
    exchange: {
      sent: { method: request.method.toUpperCase(), url, headers: sent.headers, body: sent.bytes },
      received: toReceived(status, received.headers, received.bytes),
    },
    known: new Set([
      ...(sent.isKnown ? ['request' as const] : []),
      ...(received.isKnown ? ['response' as const] : []),
    ]),
  };
}

interface Content {
  bytes: Buffer;
  /** Whether the body was recorded completely. */
  isKnown: boolean;
}

interface Call {
  url: string;
  sent: Content & { headers: HeaderList };
  received: Content & { headers: HeaderList };
}

const NOTHING: Content = { bytes: Buffer.alloc(0), isKnown: true };

type Raw = Record<string, unknown>;

/** HAR 1.2: browsers and proxies may leave bodies out, and truncate them. */
function fromHar({ request, response }: Raw): Call {
  const { url, method, postData, bodySize, headers } = Object(request);
  const { content: came, bodySize: size, headers: received, status } = Object(response);
  const content = Object(came);
  const isSent = postData !== undefined || bodySize > 0;
  const isEmpty = method === 'HEAD' || status === 204 || status === 304 || status < 200;
  const hasNothing = content.text === undefined && content.size === 0 && !(Number(size) > 0);
  return {
    url: String(url),
    sent: { headers: toHeaders(headers), ...(isSent ? toContent(postData, bodySize) : NOTHING) },
    received: {
      headers: toHeaders(received),
      ...(isEmpty || hasNothing ? NOTHING : toContent(content, content.size)),
    },
  };
}

function toContent(content: unknown, size: unknown): Content {
  const { text, encoding } = Object(content);
  if (typeof text !== 'string') return { ...NOTHING, isKnown: false };
  const bytes = Buffer.from(text, encoding === 'base64' ? 'base64' : 'utf8');
  return { bytes, isKnown: bytes.length >= Number(size ?? 0) || Number.isNaN(Number(size)) };
}

/** Names like `:status` come from HTTP/2. */
function toHeaders(list: unknown): HeaderList {
  return (Array.isArray(list) ? list : [])
    .map(Object)
    .filter(({ name }) => typeof name === 'string' && !name.startsWith(':'))
    .map(({ name, value }) => [name, String(value ?? '')] as const);
}

/** The mock records every body completely, as it was sent. */
function fromRecording({ request, response, origin }: Raw): Call {
  const toMessage = ({ headers, body }: Raw) => {
    const { text, base64 } = Object(body);
    const bytes = Buffer.from(String(text ?? base64 ?? ''), text === undefined ? 'base64' : 'utf8');
    const list = Object.entries(Object(headers)).flatMap(([name, value]) =>
      [value].flat().map((each) => [name, String(each)] as const),
    );
    const isEncoded = list.some(
      ([name, value]) => name === 'content-encoding' && value !== 'identity',
    );
    return { headers: list, bytes, isKnown: !isEncoded };
  };
  const target = String(Object(request).target);
  return {
    url: /^https?:/i.test(target) ? target : String(origin) + target,
    sent: toMessage(Object(request)),
    received: toMessage(Object(response)),
  };
}
