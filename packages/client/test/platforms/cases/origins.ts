import { assertEqual, assertFails } from '../assert.ts';
import { at, serviceOf, storageOf } from '../clients.ts';
import type { PlatformCase } from '../platform-case.ts';
import { type Echo, SERVICES } from '../services.ts';

const refused = { name: 'NetworkError' };

/** What browsers hide from pages. */
export const ORIGINS: readonly PlatformCase[] = [
  {
    name: 'reads nothing from a gateway that does not list its origin',
    feature: 'originRules',
    async run(deployment) {
      const echo = serviceOf(at(deployment, deployment.closed), SERVICES.echo, { retry: false });
      await assertFails(echo.get('a'), refused);
    },
    async without(deployment) {
      const echo = serviceOf(at(deployment, deployment.closed), SERVICES.echo);
      assertEqual((await echo.get<Echo>('a')).target, '/a');
    },
  },
  {
    name: 'reads nothing from a storage that does not list its origin',
    feature: 'originRules',
    async run(deployment) {
      const storage = storageOf(at(deployment, deployment.closed), { retry: false });
      await assertFails(storage.upload('closed.txt', 'a'), refused);
    },
    async without(deployment) {
      const storage = storageOf(at(deployment, deployment.closed));
      const { fileID } = await storage.upload('closed.txt', 'a');
      await storage.delete(fileID);
    },
  },
  {
    name: 'sends no header that the preflight has not allowed',
    feature: 'originRules',
    async run(deployment) {
      const headers = { 'X-Not-Allowed': '1' };
      const echo = serviceOf(deployment, SERVICES.echo, { headers, retry: false });
      await assertFails(echo.get('a'), refused);
    },
    async without(deployment) {
      const echo = serviceOf(deployment, SERVICES.echo, { headers: { 'X-Not-Allowed': '1' } });
      assertEqual((await echo.get<Echo>('a')).headers['x-not-allowed'], '1');
    },
  },
];
