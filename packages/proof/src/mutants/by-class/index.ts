import type { Mutant } from '../mutant.ts';
import { connections } from './connections.ts';
import { eventStreams } from './event-streams.ts';
import { linkLifetimes } from './link-lifetimes.ts';
import { lists } from './lists.ts';
import { loneHeaders } from './lone-headers.ts';
import { rareResponses } from './rare-responses.ts';
import { refusedCalls } from './refused-calls.ts';
import { selfCopies } from './self-copies.ts';
import { sizes } from './sizes.ts';
import { sockets } from './sockets.ts';

/**
 * Mutants of the classes of faults that the suite used to miss: state that outlives a call, the content of
 * streams and WebSockets, rare responses, lifetimes, positions in lists, effects of rejected calls, single
 * headers, sizes of buffers, and files that are copied onto themselves.
 */
export const byClass = {
  connections,
  'event-streams': eventStreams,
  sockets,
  'rare-responses': rareResponses,
  'link-lifetimes': linkLifetimes,
  lists,
  'refused-calls': refusedCalls,
  'lone-headers': loneHeaders,
  sizes,
  'self-copies': selfCopies,
} as const satisfies Record<string, readonly Mutant[]>;
