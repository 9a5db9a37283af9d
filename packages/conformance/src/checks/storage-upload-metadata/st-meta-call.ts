import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { askForGrants } from './ask-for-grants.ts';

export const stMetaCall = defineCheck('ST-META-CALL', ['storageCredentials'], async (t: Trial) => {
  for await (const { what, reply } of askForGrants(t)) {
    const { refused, received, code, data } = reply;
    t.reach(refused || data !== undefined, `${what}: no data in the answer`);
    const came = `a refusal with ${received.status} ${code ?? ''}`.trim();
    t.expect(!refused, `${what} must return the attributes for the upload, not ${came}`, reply);
  }
});
