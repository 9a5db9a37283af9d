import type { Endpoint } from '../endpoint.ts';
import { toFields } from '../to-fields.ts';

/** The hosted services and their states. */
export const serviceEndpoints: readonly Endpoint[] = [
  {
    method: 'GET',
    path: 'services',
    answer: ({ context, session }) => ({
      services: session.services.list(),
      faults: context.services.faults(),
    }),
  },
  {
    method: 'PUT',
    path: 'services/{name}/state',
    answer({ session, params: { name = '' }, body }) {
      const { code, for: duration } = toFields(body, ['code', 'for']);
      const options = duration === undefined ? {} : { for: duration as string };
      session.services.setState(name, code as string, options);
    },
  },
  {
    method: 'DELETE',
    path: 'services/{name}/state',
    answer: ({ session, params: { name = '' } }) => session.services.clearState(name),
  },
];
