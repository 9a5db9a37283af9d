import { isIP } from 'node:net';
import { NetworkFault } from '../../http/network-fault.ts';
import type { GatewayCall } from '../../trial/gateway-tool.ts';
import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { gatewayMethods } from '../support/gateway-methods.ts';

export const gwEnvHost = defineCheck('GW-ENV-HOST', ['fixture'], async (t: Trial) => {
  const control = t.uniqueName();
  await t.gateway.call({ path: t.fixture.answer({ mark: control }) });
  t.reach((await t.fixture.count(control)) === 1, 'the fixture does not count its calls');
  for (const host of otherHosts(t)) {
    for (const call of gatewayMethods) {
      const mark = t.uniqueName();
      const path = t.fixture.answer({ mark });
      await callAnyhow(t, { ...call, path, host, acceptsRefusal: true });
      const count = await t.fixture.count(mark);
      const what = `${call.method} with Host: ${host}`;
      t.expect(count === 0, `${what}: must not reach the service, but did`);
    }
  }
});

/** Hosts whose first label names an environment that does not exist, each in its own way. */
function otherHosts(t: Trial): string[] {
  const { hostname, port } = new URL(`http://${t.gateway.host}`);
  const [label = '', ...rest] = hostname.split('.');
  const isNamed = isIP(hostname.replace(/^\[|\]$/g, '')) === 0 && rest.length > 0;
  const domain = isNamed ? rest.join('.') : 'gateway.example';
  const end = port === '' ? domain : `${domain}:${port}`;
  const strange = t.uniqueName();
  if (!isNamed) return [`${strange}.${end}`];
  return [
    `${strange}.${end}`,
    `${strange}.${label}.${end}`,
    `${label}-${strange}`.slice(0, 63).concat(`.${end}`),
    `${strange.slice(0, 62 - label.length)}-${label}.${end}`,
  ];
}

/** What comes back does not matter, nor whether anything does. */
async function callAnyhow(t: Trial, call: GatewayCall): Promise<void> {
  try {
    await t.gateway.call(call);
  } catch (error) {
    if (!(error instanceof NetworkFault) || t.signal.aborted) throw error;
  }
}
