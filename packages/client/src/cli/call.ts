import { readFile } from 'node:fs/promises';
import { addAbortSignal } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { InvalidArgumentError } from 'commander';
import { toGatewayError } from '../gateway-call.ts';
import { Failure, write } from './output.ts';
import { openGateway, readWireProfile } from './settings.ts';

interface CallFlags {
  readonly request?: 'GET' | 'POST' | 'HEAD';
  readonly data?: string;
  readonly header?: Headers;
  readonly signal: AbortSignal;
}

/** `berth call`: calls a hosted service, and prints its response as it arrives. */
export async function call(name: string, path: string, options: CallFlags): Promise<void> {
  const { data, signal, header: headers = new Headers() } = options;
  const { request: method = data === undefined ? 'GET' : 'POST' } = options;
  if (data !== undefined && method !== 'POST') {
    throw new Failure(`A ${method} request has no body: remove -d, or use -X POST.`, 2);
  }
  const gateway = await openGateway();
  const { gatewayHeaders } = await readWireProfile();
  const body = data === undefined ? undefined : await readData(data, signal);
  if (body !== undefined && !headers.has('Content-Type')) {
    headers.set('Content-Type', 'application/json');
  }
  const response = await gateway.service(name).request(path, { method, headers, body, signal });
  if (response.ok) return write(response.body ?? [], signal);
  const callInfo = { method, url: response.url };
  const error = await toGatewayError(response.clone(), callInfo, gatewayHeaders.upstreamStatus);
  if (error.kind === 'service') await write(response.body ?? [], signal);
  throw error;
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
