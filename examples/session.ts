import { deepEqual } from 'node:assert/strict';
import { createMock } from '@berth/mock';

await using mock = await createMock();
const expect = (found: unknown) => ({ toEqual: (wanted: unknown) => deepEqual(found, wanted) });

// #region session
const session = mock.session(); // the default one
session.faults.put('slow', 'batchDelete:latency=200,times=1');
session.clock.set({ advance: '1h' }); // links and grants expire by it
session.files.put('reports/summary.txt', 'Hello.', 'text/plain');
expect(session.requests({ unmatched: true })).toEqual([]); // no calls without a matching route
session.reset();
// #endregion
