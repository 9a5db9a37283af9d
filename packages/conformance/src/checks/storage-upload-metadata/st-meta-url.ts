import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { show } from '../support/entries.ts';
import { askForGrants } from './ask-for-grants.ts';

export const stMetaUrl = defineCheck('ST-META-URL', ['storageCredentials'], async (t: Trial) => {
  for await (const { what, reply } of askForGrants(t)) {
    const { data } = reply;
    t.reach(data !== undefined, `${what}: no data in the answer`);
    const { url } = data;
    const isAbsolute =
      typeof url === 'string' && /^https?:\/\/[^/?#]/i.test(url) && URL.canParse(url);
    t.expect(isAbsolute, `${what}: url must be an absolute address, not ${show(url)}`, reply);
  }
});
