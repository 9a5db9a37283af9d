import { defineCheck } from '../check.ts';
import { expectPath } from './expect-path.ts';

export const gwPathShape = defineCheck('GW-PATH-SHAPE', ['fixture'], async (t) => {
  await expectPath(t, ['/alpha', '/Alpha', '/0', '/index.html', `/${t.settings.service}`, '/v1']);
  const mark = t.uniqueName();
  const path = t.fixture.answer({ mark });
  await t.gateway.call({ service: t.uniqueName(), path });
  const count = await t.fixture.count(mark);
  t.expect(count === 0, 'a call to another name must not reach this service, but did');
});
