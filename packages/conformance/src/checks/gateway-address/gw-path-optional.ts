import { defineCheck } from '../check.ts';
import { callEcho } from '../support/call-echo.ts';
import { gatewayMethods } from '../support/gateway-methods.ts';

export const gwPathOptional = defineCheck('GW-PATH-OPTIONAL', ['fixture'], async (t) => {
  for (const call of gatewayMethods) {
    for (const path of ['', '?a=1']) {
      const what = `${call.method} ${t.gateway.servicePath}${path}`;
      const came = await callEcho(t, { ...call, path }, what);
      if (!came) continue;
      const [arrived] = came.echo.target.split('?');
      t.expect(arrived === '/', `${what}: the service must get the path /, not ${arrived}`);
    }
  }
});
