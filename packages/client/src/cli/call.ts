import { readFile } from 'node:fs/promises';
import { addAbortSignal } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { InvalidArgumentError } from 'commander';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { createGatewayErrors } from '../gateway-errors.ts';
import { parseJson } from '../payload.ts';
import { type CommandOptions, Failure } from './output.ts';
import { openGateway, readWireProfile } from './settings.ts';

interface CallOptions extends CommandOptions {
  readonly request?: 'GET' | 'POST' | 'HEAD';
  readonly data?: string;
  readonly header?: Headers;
}

/** `berth call`: calls a hosted service and prints its response, as it arrives. */
export async function call(name: string, path: string, options: CallOptions): Promise<void> {
  const { data, json, signal, header: headers = new Headers() } = options;
  const { request: method = data === undefined ? 'GET' : 'POST' } = options;
  if (data !== undefined && method !== 'POST') {
    throw new Failure(`A ${method} request has no body: remove -d, or use -X POST.`, 2);
  }
  const gateway = await openGateway();
  const body = data === undefined ? undefined : await readData(data, signal);
  if (body !== undefined && !headers.has('Content-Type')) {
    headers.set('Content-Type', 'application/json');
  }
  const response = await gateway.service(name).request(path, { method, headers, body, signal });
  if (!response.ok) await printError(response, method, options);
  else if (!json) await write(response.body, signal);
  else if (isEventStream(response)) await write(toJsonLines(response), signal);
  else printJson(response, await response.text());
}

/** Reads `-d`: text, `@file`, or `-` for stdin. It is kept in memory, because signatures cover the body. */
async function readData(data: string, signal: AbortSignal) {
  if (data === '-') return new Uint8Array(await buffer(addAbortSignal(signal, process.stdin)));
  if (!data.startsWith('@')) return data;
  try {
    return new Uint8Array(await readFile(data.slice(1)));
  } catch (error) {
    throw new Failure(`Cannot read the request body: ${(error as Error).message}.`, 2);
  }
}

async function write(
  body: ReadableStream<Uint8Array> | AsyncIterable<string> | null,
  signal: AbortSignal,
): Promise<void> {
  if (body) await pipeline(body, process.stdout, { signal, end: false });
}

function isEventStream({ headers }: Response): boolean {
  return /^text\/event-stream\b/i.test(headers.get('Content-Type') ?? '');
}

/** Returns each event of a stream as a line of JSON. */
async function* toJsonLines({ body }: Response): AsyncGenerator<string> {
  const text = body?.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>);
  const events = text?.pipeThrough(new EventSourceParserStream());
  for await (const { event = 'message', data, id } of events ?? []) {
    yield `${JSON.stringify({ event, data, id })}\n`;
  }
}

function printJson({ status, headers }: Response, text: string): void {
  const body = parseJson(text);
  const output = {
    status,
    headers: Object.fromEntries(headers),
    body: body === undefined ? text : body,
  };
  process.stdout.write(`${JSON.stringify(output)}\n`);
}

/** @throws BerthError after it has printed the body of the service */
async function printError(response: Response, method: string, { json }: CallOptions) {
  const text = await response.text();
  if (json) {
    printJson(response, text);
    process.exitCode = 1;
    return;
  }
  const { toError } = createGatewayErrors(await readWireProfile());
  const error = toError(response, parseJson(text), { method, url: response.url });
  if (error.kind === 'service') process.stdout.write(text);
  throw error;
}

/** Parses `-H "Name: value"`, which can be repeated. */
export function toHeaders(text: string, headers = new Headers()): Headers {
  const [, name = '', value = ''] = /^\s*([^:]*?)\s*:(.*)$/s.exec(text) ?? [];
  if (name.toLowerCase() === 'authorization') {
    const reason = 'Do not pass credentials as arguments, which other users can see';
    throw new InvalidArgumentError(`${reason}: set BERTH_GATEWAY_TOKEN.`);
  }
  try {
    headers.append(name, value);
    return headers;
  } catch {
    throw new InvalidArgumentError('Expected "Name: value".');
  }
}
