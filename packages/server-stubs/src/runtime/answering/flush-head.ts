import { ServerResponse } from 'node:http';

/**
 * Sends the head of an answer that has a body, at once. Unlike `flushHeaders`, which writes UTF-8, it
 * leaves the bytes of the headers what they are.
 */
export function flushHead(response: ServerResponse): void {
  // HTTP/2 has an answer of its own; and a `write` of some middleware might hold the head back.
  if (response instanceof ServerResponse)
    ServerResponse.prototype.write.call(response, '', 'latin1');
  else (response as ServerResponse).flushHeaders();
}
