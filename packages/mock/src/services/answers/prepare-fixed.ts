import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ServiceAnswer } from '@berth/server-stubs';
import type { FixedAnswer } from '../fake-service.ts';
import type { Answerer, RouteContext } from './route-context.ts';
import { ServiceRefusal } from './service-refusal.ts';
import { wait } from './wait.ts';

const BYTES = 'application/octet-stream';

/**
 * Makes an answer once, for all the calls that get it.
 *
 * @param folder where the paths of files begin
 */
export function prepareFixed(fixed: FixedAnswer, folder: string): Answerer {
  const { status = 200, file, delay } = fixed;
  const { body, type } = bodyOf(fixed);
  const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
  for (const [name, value] of Object.entries(fixed.headers ?? {})) {
    headers[name.toLowerCase()] = String(value);
  }
  const answer: ServiceAnswer =
    body === undefined ? { status, headers } : { status, headers, body };
  const now: Answerer =
    file === undefined ? () => answer : () => answerFile(answer, resolve(folder, file));
  if (delay === undefined) return now;
  return async (context: RouteContext) => {
    await wait(delay, context.call.signal);
    return now(context);
  };
}

function bodyOf({ json, text, base64, file }: FixedAnswer) {
  if (json !== undefined) return { body: JSON.stringify(json), type: 'application/json' };
  if (text !== undefined) return { body: text, type: 'text/plain; charset=utf-8' };
  if (base64 !== undefined) return { body: Buffer.from(base64, 'base64'), type: BYTES };
  return { body: undefined, type: file === undefined ? undefined : BYTES };
}

/** Read anew for each call, as fast as the caller takes it. */
async function answerFile(answer: ServiceAnswer, path: string): Promise<ServiceAnswer> {
  try {
    const handle = await open(path);
    const { size } = await handle.stat();
    return {
      ...answer,
      headers: { ...answer.headers, 'content-length': String(size) },
      // What grows while it is read must not be longer than was said.
      body: handle.createReadStream(size === 0 ? {} : { end: size - 1 }),
    };
  } catch (error) {
    throw new ServiceRefusal(
      500,
      `The file of this route cannot be read: ${(error as Error).message}`,
    );
  }
}
