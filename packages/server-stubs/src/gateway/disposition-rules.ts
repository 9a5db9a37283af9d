import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { applyDispositionRules } from './apply-disposition-rules.ts';

type Next = (error?: unknown) => void;
/** As `writeHead` takes them: by name, or names and values in turn. */
type GivenHeaders = OutgoingHttpHeaders | readonly string[];

/**
 * Middleware that holds every answer to the rules C1 to C3, for a proxy of your own in an Express app
 * or under `node:http`. Mount it before whatever answers. The routers of this package do it already.
 *
 * @see applyDispositionRules for the rules
 *
 * @example
 * app.use('/v1/cloudrun', dispositionRules(), myProxy);
 */
export function dispositionRules() {
  return (request: IncomingMessage, response: ServerResponse, next: Next): void => {
    const writeHead = response.writeHead;
    response.writeHead = (status: number, ...rest: unknown[]) => {
      const reason = typeof rest[0] === 'string' ? rest[0] : undefined;
      adopt(response, (reason === undefined ? rest[0] : rest[1]) as GivenHeaders | undefined);
      const headers = applyDispositionRules(request, response.getHeaders());
      const disposition = headers['content-disposition'];
      if (disposition === undefined) response.removeHeader('content-disposition');
      else response.setHeader('content-disposition', disposition);
      response.writeHead = writeHead;
      return reason === undefined ? response.writeHead(status) : response.writeHead(status, reason);
    };
    next();
  };
}

/** Takes over what was given to `writeHead`, which wins over what was set before. */
function adopt(response: ServerResponse, given: GivenHeaders = {}): void {
  if (!Array.isArray(given)) {
    for (const [name, value] of Object.entries(given)) {
      if (value !== undefined) response.setHeader(name, value);
    }
    return;
  }
  const flat: readonly string[] = given.flat();
  for (let at = 0; at < flat.length; at += 2) response.removeHeader(flat[at] as string);
  for (let at = 0; at < flat.length; at += 2) {
    response.appendHeader(flat[at] as string, flat[at + 1] as string);
  }
}
