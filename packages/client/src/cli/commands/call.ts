import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { toGatewayError } from '../../internal/gateway-errors.ts';
import type { RequestOptions } from '../../service/service.ts';
import { openGateway, SETTINGS } from '../clients.ts';
import { type CommonOptions, Failure, writeOut } from '../output.ts';

type Method = 'GET' | 'POST' | 'HEAD';

interface CallOptions extends CommonOptions {
  readonly request?: Method;
  readonly data?: string;
  readonly header?: Headers;
}

export function addCall(program: Command, signal: AbortSignal): Command {
  return program
    .command('call')
    .description('Call a hosted service and print its response.')
    .argument('<service>', 'service name')
    .argument('[path]', 'path within the service, with an optional query', '')
    .addOption(
      new Option('-X, --request <method>', 'HTTP method (default: GET, or POST with -d)').choices([
        'GET',
        'POST',
        'HEAD',
      ]),
    )
    .option('-d, --data <data>', 'request body: text, @file, or - for stdin')
    .option('-H, --header <header>', 'request header as "Name: value"; can be repeated', toHeaders)
    .addHelpText(
      'after',
      '\nThe body is sent as application/json unless -H sets another Content-Type.',
    )
    .action((service: string, path: string, options: CallOptions) =>
      call(service, path, options, signal),
    );
}

async function call(name: string, path: string, options: CallOptions, signal: AbortSignal) {
  const gateway = await openGateway();
  const request = await toRequest(options);
  const response = await gateway.service(name).request(path, { ...request, signal });
  await printResponse(response, options, signal);
}

async function toRequest(options: CallOptions): Promise<RequestOptions> {
  const { data, header: headers = new Headers() } = options;
  const { request: method = data === undefined ? 'GET' : 'POST' } = options;
  if (data !== undefined && method !== 'POST') {
    throw new Failure(`A ${method} request has no body: remove -d, or use -X POST.`, 2);
  }
  const body = data === undefined ? undefined : await readData(data);
  if (body !== undefined && !headers.has('Content-Type')) {
    headers.set('Content-Type', 'application/json');
  }
  return { method, headers, body };
}

/** Reads `-d`: text, `@file`, or `-` for stdin. Reads it into memory, because a signature covers the body. */
async function readData(data: string): Promise<string | Uint8Array<ArrayBuffer>> {
  if (data === '-' || data === '@-') return new Uint8Array(await buffer(process.stdin));
  if (!data.startsWith('@')) return data;
  try {
    return new Uint8Array(await readFile(data.slice(1)));
  } catch (error) {
    throw new Failure(`Cannot read the request body: ${(error as Error).message}.`, 2);
  }
}

/**
 * Prints a response: the body as it arrives, or with `--json` the status, headers and body.
 *
 * @throws GatewayError for an error status, after printing the body of an error from the service itself
 */
async function printResponse(
  response: Response,
  { json }: CommonOptions,
  signal: AbortSignal,
): Promise<void> {
  if (json) return printJson(response);
  if (response.ok) {
    if (response.body) await writeOut(response.body, signal);
    return;
  }
  const text = await response.text();
  const error = toGatewayError({ error: parse(text), response });
  if (error.source === 'service' && text !== '') process.stdout.write(text);
  throw error;
}

async function printJson(response: Response): Promise<void> {
  const text = await response.text();
  const { status } = response;
  const output = { status, headers: Object.fromEntries(response.headers), body: parse(text) };
  process.stdout.write(`${JSON.stringify(output)}\n`);
  if (!response.ok) process.exitCode = 1;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function toHeaders(text: string, headers = new Headers()): Headers {
  const at = text.indexOf(':');
  const name = text.slice(0, Math.max(at, 0)).trim();
  if (name.toLowerCase() === 'authorization') {
    throw new InvalidArgumentError(
      `Do not pass credentials as arguments, which other users can see: set ${SETTINGS.token[0]}.`,
    );
  }
  try {
    headers.append(name, text.slice(at + 1).trim());
    return headers;
  } catch {
    throw new InvalidArgumentError('Expected "Name: value".');
  }
}
