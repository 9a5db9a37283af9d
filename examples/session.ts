import { equal } from 'node:assert/strict';
import { createMock } from '@berth/mock';

await using mock = await createMock();

// #region session
const session = mock.session(); // the default one
session.faults.put('slow', 'batchDelete:latency=200,times=1');
session.files.put('reports/summary.txt', 'Hello.', 'text/plain');
session.clock.advance(3_600_000); // links, grants, tokens and signatures expire according to this clock
const [call] = session.requests(); // with status, time and why it was rejected
session.reset();
// #endregion
equal(call, undefined);
