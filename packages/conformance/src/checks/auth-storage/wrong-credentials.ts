import { signStorage } from '../../credentials/sign-storage.ts';
import { type HeaderList, readAll, withHeaders } from '../../http/header-list.ts';
import type { Trial } from '../../trial/trial.ts';

/** Letters at the end of a credential that are changed: where it is a signature, they are part of it. */
const CHANGED = 8;

/**
 * Wrong credentials made of good ones, by what was done to them.
 *
 * @param good headers that are accepted, the authorization among them
 */
export function makeWrongCredentials(t: Trial, good: HeaderList): Record<string, HeaderList> {
  const { tc3, wireProfile, storageHeaders, auth } = t.settings;
  const { authorization, timestamp } = wireProfile.storageHeaders;
  const [value = ''] = readAll(good, authorization);
  const give = (wrong: string) => withHeaders(good, [[authorization, wrong]]);
  const wrong = {
    'made-up credentials': give('made up'),
    'empty credentials': give(''),
    'credentials whose end is changed': give(changeEnd(value)),
    'credentials whose end is cut off': give(value.slice(0, -CHANGED)),
  };
  const isSigned = auth?.storage === undefined && Object.keys(storageHeaders).length === 0;
  if (tc3 === undefined || !isSigned) return wrong;
  const seconds = Number(readAll(good, timestamp)[0]);
  const sign = (keys: Partial<typeof tc3>) =>
    give(signStorage(seconds, tc3.storageSigningHost, { ...tc3, ...keys }));
  const unknown = `${tc3.secretId}x`;
  return {
    ...wrong,
    'a signature with another secret': sign({ secretKey: `${tc3.secretKey}x` }),
    'a signature with an empty secret': sign({ secretKey: '' }),
    'a signature of an unknown id': sign({ secretId: unknown }),
    'a signature of an unknown id with an empty secret': sign({ secretId: unknown, secretKey: '' }),
  };
}

function changeEnd(value: string): string {
  const end = value.slice(-CHANGED).replace(/./g, (one) => (one === '0' ? '1' : '0'));
  return value.slice(0, -CHANGED) + end;
}
