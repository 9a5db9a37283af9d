import type { Rows } from './mutant.ts';
import { pieces } from './support/connections.ts';
import { accept, acceptIfSignedFor } from './support/credentials.ts';
import { replace } from './support/gateway.ts';

/** Faults of deployments that an earlier suite has missed. */
export const seenElsewhere: Rows = {
  'AU-TC3-COVERS/3: a signature of the parent path is accepted': acceptIfSignedFor(({ path }) => ({
    path: path.slice(0, path.lastIndexOf('/')),
  })),
  'AU-REJECTED/1: a token with characters added is accepted': accept(
    (value, _, { authorization }) => value?.startsWith(authorization),
  ),
  'GW-BODY: the line ends of an event stream are converted': pieces(replace('\r\n', '\n')),
  'GW-BODY: the space after the colon is lost in an event stream': pieces(replace(/: /g, ':')),
  'GW-SSE: characters outside ASCII are replaced in an event stream': pieces(
    replace(/[\x80-\xff]/g, '?'),
  ),
  'GW-SSE: an event stream ends after three events': {
    async *messages(all, { isHandshake }) {
      let count = 0;
      for await (const piece of all) {
        yield piece;
        count += piece.data.includes('\n\n') ? 1 : 0;
        if (count === 3 && !isHandshake) return;
      }
    },
  },
};
