import { expect, test } from 'vitest';
import { signStorage } from './create-signers.ts';

test('the published vector of a storage call', () => {
  const keys = {
    secretId: 'AKIDDo-bNhLNl3kEY5HRzEG-CNUotmyFSadvpKimESWTfND98qyfrpYLCtQJ92_z9yN8',
    secretKey: 'wH72j2a5ZzhwgnXViwVNqdWhWn4AG4iasv26D4JdjBA=',
    service: 'tcb',
  };
  expect(signStorage(1_600_227_242, 'api.tcloudbase.com', keys)).toBe(
    `1.0 TC3-HMAC-SHA256 Credential=${keys.secretId}/2020-09-16/tcb/tc3_request, SignedHeaders=content-type;host, Signature=0ce229810e251baa0ee2bb786c5f9eb6cb7758f55df28cbc161883c48a997e04`,
  );
});
