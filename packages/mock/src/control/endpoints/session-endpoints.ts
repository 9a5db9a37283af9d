import type { Endpoint } from '../endpoint.ts';
import type { SessionPart } from '../mock-session.ts';
import type { SessionSnapshot } from '../session-snapshot.ts';
import { MAX_SNAPSHOT_BYTES } from '../take-snapshot.ts';
import { toFields } from '../to-fields.ts';

/** The session as a whole. */
export const sessionEndpoints: readonly Endpoint[] = [
  {
    method: 'POST',
    path: 'reset',
    answer({ session, body = {} }) {
      const { only } = toFields(body, ['only']);
      session.reset({ only: only as readonly SessionPart[] | undefined });
    },
  },
  { method: 'GET', path: 'snapshot', answer: ({ session }) => session.snapshot() },
  {
    method: 'POST',
    path: 'restore',
    // Base64 makes four characters of three bytes; a mebibyte is left for all else.
    maxBodyBytes: Math.ceil(MAX_SNAPSHOT_BYTES / 3) * 4 + 1024 * 1024,
    answer({ session, body }) {
      session.restore(body as SessionSnapshot);
    },
  },
];
