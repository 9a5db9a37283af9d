import type { OutgoingHttpHeaders } from 'node:http';
import { type Received, type Sent, send } from '../../../server-stubs/test/support/send.ts';

export interface CallOptions extends Omit<Sent, 'headers'> {
  /** Path and query as sent. */
  path: string;
  headers?: OutgoingHttpHeaders;
}

export interface Reply extends Received {
  /** The parsed JSON body; undefined for another content type. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any field of any response
  json: any;
}

/** Sends one request to a mock. */
export const call = ({ url }: { url: string }, { path, ...sent }: CallOptions): Promise<Reply> =>
  send(url, path, sent);
