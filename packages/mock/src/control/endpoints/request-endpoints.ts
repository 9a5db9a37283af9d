import { FieldError } from '../../field-error.ts';
import { toLoggedJson } from '../../requests/to-logged-json.ts';
import type { Endpoint } from '../endpoint.ts';
import { Problem } from '../problem.ts';
import { streamRequests } from '../stream-requests.ts';

/** The calls of a session. */
export const requestEndpoints: readonly Endpoint[] = [
  {
    method: 'GET',
    path: 'requests',
    query: ['unmatched', 'limit'],
    answer({ session, query }) {
      const unmatched = toFlag(query.get('unmatched'));
      const limit = query.get('limit');
      const requests = session.requests({
        unmatched,
        limit: limit === null ? undefined : Number(limit),
      });
      return { requests: requests.map(toLoggedJson) };
    },
  },
  { method: 'GET', path: 'requests/stream', answer: streamRequests },
  {
    method: 'GET',
    path: 'requests/{id}',
    answer({ context, session, params: { id = '' } }) {
      const logged = context.sessions.get(session.id).requests.get(id);
      if (logged !== undefined) return toLoggedJson(logged);
      throw new Problem(404, 'The log has no call of that X-Request-Id.', { field: 'id' });
    },
  },
  {
    method: 'DELETE',
    path: 'requests',
    answer: ({ session }) => session.reset({ only: ['requests'] }),
  },
];

function toFlag(value: string | null): boolean {
  if (value === null || value === 'false') return false;
  if (value === 'true') return true;
  throw new FieldError('unmatched', 'must be true or false.');
}
