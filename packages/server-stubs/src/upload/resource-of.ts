import type { IncomingMessage } from 'node:http';
import type { Call } from '../runtime/index.ts';

const resources = new WeakMap<IncomingMessage, string>();

/** Remembers which key a form names, so that an error can say what it is about. */
export function noteResource(request: IncomingMessage, key: string): void {
  resources.set(request, key.startsWith('/') ? key : `/${key}`);
}

/** What an upload is about (D27, `Resource`): the key of the form, or the path until it is known. */
export function resourceOf({ request, rawPath }: Pick<Call, 'request' | 'rawPath'>): string {
  return resources.get(request) ?? rawPath;
}
