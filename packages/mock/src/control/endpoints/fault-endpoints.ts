import type { FaultRule } from '../../faults/fault.ts';
import type { Endpoint } from '../endpoint.ts';
import { Problem } from '../problem.ts';

/** The faults of a session. */
export const faultEndpoints: readonly Endpoint[] = [
  { method: 'GET', path: 'faults', answer: ({ session }) => ({ faults: session.faults.list() }) },
  {
    method: 'PUT',
    path: 'faults/{name}',
    answer: ({ session, params: { name = '' }, body }) =>
      session.faults.put(name, body as FaultRule | string),
  },
  { method: 'DELETE', path: 'faults', answer: ({ session }) => session.faults.clear() },
  {
    method: 'DELETE',
    path: 'faults/{name}',
    answer({ session, params: { name = '' } }) {
      if (session.faults.delete(name)) return;
      const known = session.faults.list().map((rule) => rule.name);
      const hint = known.length === 0 ? 'there is none' : `there are ${known.join(', ')}`;
      throw new Problem(404, `There is no fault of that name: ${hint}.`, { field: 'name' });
    },
  },
];
