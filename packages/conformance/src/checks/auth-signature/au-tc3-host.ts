import { defineSignatureCheck } from './define-signature-check.ts';
import { JSON_TYPE } from './sign-call.ts';

export const auTc3Host = defineSignatureCheck('AU-TC3-HOST', (t, mark) => {
  const path = `/host?mark=${mark}`;
  const decoy = ['X-Host', t.gateway.host] as const;
  return {
    bad: {
      'GET that signs content-type alone': { path, headers: [JSON_TYPE], signed: [JSON_TYPE] },
      'GET that signs x-host': { path, headers: [decoy], signed: [decoy] },
      'POST that signs content-type alone': {
        ...{ path, headers: [JSON_TYPE], body: '{"a":1}' },
        signed: [JSON_TYPE],
      },
    },
  };
});
