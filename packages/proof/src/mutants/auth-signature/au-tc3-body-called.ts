import { defineMutant } from '../mutant.ts';
import { readSignature } from '../support/signature.ts';

export const auTc3BodyCalled = defineMutant({
  rule: 'AU-TC3-BODY',
  breaks: 'the service is called before a large body is compared',
  companions: [],
  create: (context) => ({
    async request(request) {
      const { method, target, headers, body } = request;
      if (readSignature(request) === undefined || body.length < 65_536) return;
      const Host = headers.get('Host') ?? '';
      const given = { Host, Authorization: context.authorization };
      await context.call({ method, target, headers: given, body });
    },
  }),
});
