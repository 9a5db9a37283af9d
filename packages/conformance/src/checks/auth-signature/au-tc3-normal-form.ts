import { defineSignatureCheck } from './define-signature-check.ts';
import { JSON_TYPE } from './sign-call.ts';

/** Only what is normal is sent here: a verifier that is lax beside it breaks nothing. */
export const auTc3NormalForm = defineSignatureCheck('AU-TC3-NORMAL-FORM', () => {
  const path = '/normal';
  const body = '{"a":1}';
  return {
    good: {
      'GET with the name of a signed header in capitals': {
        path,
        headers: [['X-CONFORMANCE', 'a']],
      },
      'GET with the names of signed headers in no order': {
        path,
        headers: [
          ['x-c', '3'],
          ['X-B', '2'],
          ['x-a', '1'],
        ],
      },
      'GET with capitals in a signed value': { path, headers: [['X-Conformance', 'Some VALUE']] },
      'GET with spaces around a signed value': { path, headers: [['X-Conformance', '  value  ']] },
      'GET with spaces inside a signed value': { path, headers: [['X-Conformance', 'a   b']] },
      'POST with capitals in its content type': {
        ...{ path, body },
        headers: [['Content-Type', 'Application/JSON; Charset=UTF-8']],
      },
      'POST with the name of its content type in capitals': {
        ...{ path, body },
        headers: [['CONTENT-TYPE', JSON_TYPE[1]]],
      },
    },
  };
});
