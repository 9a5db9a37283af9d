import { defineSignatureCheck } from './define-signature-check.ts';
import { JSON_TYPE } from './sign-call.ts';

export const auTc3Method = defineSignatureCheck('AU-TC3-METHOD', (_, mark) => {
  const path = `/method?mark=${mark}`;
  return {
    bad: {
      'POST signed as a GET': {
        ...{ path, headers: [JSON_TYPE], body: '{"a":1}' },
        instead: { method: 'GET' },
      },
      'POST without a body signed as a GET': { path, method: 'POST', instead: { method: 'GET' } },
      'GET signed as a POST': { path, instead: { method: 'POST' } },
      'GET signed as a get in small letters': { path, instead: { method: 'get' } },
    },
  };
});
