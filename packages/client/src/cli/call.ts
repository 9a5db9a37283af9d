import { readFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { InvalidArgumentError } from 'commander';
import { networkError } from '../errors.ts';
import { createGatewayErrors } from '../gateway-errors.ts';
import { throwUnreadable } from './output.ts';
import { openGateway, readWireProfile } from './settings.ts';

/** `berth call`: calls a hosted service, and prints its response as it arrives. */
export async function call(
  name: string,
  path: string,
  { data, header: headers = new Headers() }: { data?: string; header?: Headers },
  signal: AbortSignal,
): Promise<void> {
  const wireProfile = await readWireProfile();
  const gateway = openGateway(wireProfile);
  const body = data?.startsWith('@') ? await readBody(data.slice(1)) : data;
  const method = body === undefined ? 'GET' : 'POST';
  if (body !== undefined && !headers.has('Content-Type')) {
    headers.set('Content-Type', 'application/json');
  }
  const response = await gateway.service(name).request(path, { method, headers, body, signal });
  const info = { method, url: response.url };
  const { toGatewayError } = createGatewayErrors(wireProfile);
  const error = response.ok ? undefined : await toGatewayError(response.clone(), info);
  if (error?.kind !== 'gateway') {
    await pipeline(response.body ?? [], process.stdout, { signal, end: false }).catch((cause) => {
      throw networkError('The response was interrupted', info, cause);
    });
  }
  if (error) throw error;
}

/** Reads the file of `-d @file`. It is kept in memory, because signatures cover the body. */
function readBody(file: string): Promise<Buffer> {
  return readFile(file).catch((error) => throwUnreadable(file, error));
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
