import { type CallOptions, call, type Reply } from './call.ts';

export interface ControlOptions extends Omit<CallOptions, 'path' | 'body'> {
  /** Sent as JSON. */
  body?: unknown;
}

/** Calls the control API. */
export async function control(
  mock: { url: string },
  method: string,
  path: string,
  { body, headers = {} }: ControlOptions = {},
): Promise<Reply> {
  const reply = await call(mock, {
    method,
    path: `/__mock/api/${path}`,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const isJson = reply.headers['content-type']?.endsWith('json') === true && reply.text !== '';
  return { ...reply, json: isJson ? JSON.parse(reply.text) : undefined };
}
