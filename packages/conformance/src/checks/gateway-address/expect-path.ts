import type { Trial } from '../../trial/trial.ts';
import { callEcho } from '../support/call-echo.ts';
import { gatewayMethods } from '../support/gateway-methods.ts';

/** Calls each path with GET and POST; the service must get exactly what stands behind its name. */
export async function expectPath(t: Trial, paths: readonly string[]): Promise<void> {
  for (const call of gatewayMethods) {
    for (const path of paths) {
      const what = `${call.method} ${path}`;
      const came = await callEcho(t, { ...call, path }, what);
      if (!came) continue;
      const { target } = came.echo;
      t.expect(target === path, `${what}: the service must get ${path}, not ${target}`);
    }
  }
}
