import type { Trial } from '../../trial/trial.ts';
import { cite } from '../support/cite.ts';
import { gatewayMethods } from '../support/gateway-methods.ts';
import { hasErrorBody } from '../support/has-error-body.ts';

/** Calls to these names must be refused with a 4xx and the error body. */
export async function expectRefused(t: Trial, names: readonly string[]): Promise<void> {
  for (const [index, service] of names.entries()) {
    for (const call of gatewayMethods) {
      const path = index % 2 === 0 ? '' : '/a';
      const { received } = await t.gateway.call({ ...call, service, path, acceptsRefusal: true });
      const { status } = received;
      const what = `${call.method} of the name ${service}`;
      t.expect(status >= 400 && status < 500, `${what}: the status must be 4xx, not ${status}`);
      const came = cite(received.text);
      t.expect(hasErrorBody(received), `${what}: the body must be the error body, not ${came}`);
    }
  }
}
