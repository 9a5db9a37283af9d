import { defineCheck } from '../check.ts';
import { callEcho } from '../support/call-echo.ts';
import { gatewayMethods } from '../support/gateway-methods.ts';

export const gwPathTrailingSlash = defineCheck('GW-PATH-TRAILING-SLASH', ['fixture'], async (t) => {
  for (const call of gatewayMethods) {
    const bare = t.fixture.readEcho(await t.gateway.call(call))?.target ?? '/';
    for (const query of ['', '?a=1']) {
      const what = `${call.method} ${t.gateway.servicePath}/${query}`;
      const came = await callEcho(t, { ...call, path: `/${query}` }, what);
      if (!came) continue;
      const [path = ''] = came.echo.target.split('?');
      const isSame = path === '/' || path === bare;
      t.expect(isSame, `${what}: the service must get the path ${bare}, not ${path}`);
    }
  }
});
