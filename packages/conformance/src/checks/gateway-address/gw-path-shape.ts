import { defineCheck } from '../check.ts';
import { expectPath } from './expect-path.ts';

/** Every character that a path may have unescaped (RFC 3986, section 3.3). */
const UNESCAPED = "/a;b=1/c:d@e+f!$&'()*,~g=h.json";

export const gwPathShape = defineCheck('GW-PATH-SHAPE', ['fixture'], async (t) => {
  const own = `/${t.settings.service}`;
  const plain = ['/alpha', '/Alpha', '/0', '/index.html', '/v1'];
  await expectPath(t, [...plain, own, `${own}/alpha`, UNESCAPED]);
  const mark = t.uniqueName();
  const path = t.fixture.answer({ mark });
  await t.gateway.call({ service: t.uniqueName(), path });
  const count = await t.fixture.count(mark);
  t.expect(count === 0, 'a call to another name must not reach this service, but did');
});
